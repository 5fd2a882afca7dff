"""Commands that do: read, fit, resume, infer, and the demo."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitmanyor.cli.answers import INTERRUPTED, OK, Answer
from pitmanyor.cli.parsing import find_model, parse_options
from pitmanyor.cli.show import ABOUT, count_facts, topic_facts, topic_table
from pitmanyor.cli.spelling import spelled
from pitmanyor.errors import FileError, PlanError
from pitmanyor.reading.several_files import PATTERN

if TYPE_CHECKING:
    from pitmanyor.corpus import Corpus
    from pitmanyor.graph import Graph
    from pitmanyor.results.fitting import Fit

SHOWN = 20  # topics that are listed after a fit
TAGGED = 0.05  # hashtags per post from which on a model of hashtags is suggested


@dataclass(frozen=True)
class Source:
    """Files and how to read them."""

    files: list[Path]
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, files: list[Path], columns: dict[str, str], group: list[str] | None, skip: bool, more: list[str] | None
    ) -> Source:
        options: dict[str, Any] = {**columns, **parse_options(more or [])}
        if group:
            options["groups"] = group
        if skip:
            options["skip_bad_lines"] = True
        return cls(files, options)

    def read(self, save_to: Path | None = None) -> Corpus:
        from pitmanyor.reading import read

        self._check()
        return read(list(self.files), save_to=save_to, **self.options)

    def read_later(self, fit: Fit) -> Corpus:
        """New posts, all of them, read in the same way as those of a fit."""
        from pitmanyor.reading.later import read_later

        self._check()
        return read_later(list(self.files), fit.corpus, self.options)

    def _check(self) -> None:
        for file in self.files:
            if not os.path.exists(file) and not PATTERN.search(str(file)):
                raise FileError(f"{file}: there is no such file")

    @property
    def quoted(self) -> str:
        """The files as they are typed."""
        return " ".join(shlex.quote(str(file)) for file in self.files)


def check_source(source: Source) -> Answer:
    corpus = source.read()
    table = corpus.describe()
    facts: dict[str, Any] = {"sizes": table.as_dict(), "groups": list(corpus.groups), "streams": list(corpus.streams)}
    if corpus.report:
        facts["report"] = corpus.report.to_json()
    again = f"pitmanyor fit {source.quoted} --model {_suitable_model(corpus)} -o RUN"
    return Answer(facts, [spelled(str(table))], [f"{again}    # with the same column options"])


def _suitable_model(corpus: Corpus) -> str:
    """The ready model that uses what the corpus has; a few stray hashtags do not count."""
    if "author" not in corpus.groups:
        return "hpyp"
    tags = corpus.streams.get("hashtag")
    return "author_topic" if tags is None or len(tags.words) < TAGGED * corpus.n_documents else "tntm"


def fit_source(
    source: Source,
    model: str,
    out: Path,
    options: dict[str, Any],
    quiet: bool,
    hold: float | None = None,
) -> Answer:
    from pitmanyor.runs.chain_settings import GROUPS
    from pitmanyor.runs.directory import refuse_existing

    refuse_existing(out)  # before an hour is spent on reading
    options |= {name: kind(**options[name]) for name, kind in GROUPS.items() if name in options}
    graph = find_model(model)
    from pitmanyor.reading.spool import spooling

    with ExitStack() as stack:
        home = stack.enter_context(spooling(out if options.get("memory") else None))
        corpus = source.read(None if home is None else home / "corpus.safetensors")
        _start_workers(options, stack)
        return _fit_corpus(graph, corpus, model, out, options, quiet, hold)


def _fit_corpus(
    graph: Graph, corpus: Corpus, model: str, out: Path, options: dict[str, Any], quiet: bool, hold: float | None
) -> Answer:
    from pitmanyor.results.fitting import fit

    if not quiet:
        print(f"{corpus!r}\n", file=sys.stderr)
    if ".py" not in model:
        graph = _without_missing_links(graph, corpus)
    if hold is not None:
        corpus = _without_some_pairs(graph, corpus, hold, options["seed"])
    result = fit(graph, corpus, save_to=out, progress=False if quiet else "auto", **options)
    return _fitted(out, result)


def _start_workers(options: dict[str, Any], stack: ExitStack) -> None:
    """Put a client of as many workers on this machine as are asked for in place of their number."""
    from pitmanyor.shards.on_dask import as_client

    if workers := options.pop("workers", None):
        if options.get("client") is not None:
            raise PlanError("--workers starts workers here and --scheduler asks for those of another; give one of them")
        options["client"] = stack.enter_context(as_client("local", workers))


def _without_missing_links(graph: Graph, corpus: Corpus) -> Graph:
    """A ready model does without the links that a corpus does not have, and says so."""
    for links in graph.link_sets:
        if links.name not in corpus.links:
            print(
                f"No links {links.name!r} were given, so only the text is fitted; --links FILE adds them.",
                file=sys.stderr,
            )
            graph = graph.without(links.name)
    return graph


def _without_some_pairs(graph: Graph, corpus: Corpus, share: float, seed: int) -> Corpus:
    """The corpus with a share of the pairs of every link set held out: the run keeps which, but not the answers."""
    if not graph.link_sets:
        raise PlanError("--hold-links needs a model with links and --links FILE; this model has none")
    for links in graph.link_sets:
        by = graph[links.between].plate[0]
        corpus, _ = corpus.hide_links(links.name, by=by, share=share, seed=seed, directed=links.directed)
    return corpus


def resume_run(path: Path, options: dict[str, Any], quiet: bool) -> Answer:
    from pitmanyor.results.fitting import resume

    with ExitStack() as stack:
        _start_workers(options, stack)
        return _fitted(path, resume(path, progress=False if quiet else "auto", **options))


def _fitted(path: Path, fit: Fit) -> Answer:
    """What a run has come to, with its table of topics on disk and on the screen."""
    facts = topic_facts(fit, 8)
    _write_topics(path / "topics.csv", fit)
    asked = fit.run.settings.sweeps
    name = shlex.quote(str(path))
    shown: list[Any] = [topic_table(facts, len(fit.runs), SHOWN)]
    if (n_large := sum(topic["large"] for topic in facts)) > SHOWN:
        shown.append(f"The {SHOWN} largest of {n_large} topics; pitmanyor topics {name} lists all of them.")
        shown.append("If you want fewer topics, fit again with --max-topics.")
    shown.append(f"{fit!r}, saved in {path}")
    next_ = [f"pitmanyor diagnose {name}    # has it converged, and what to do if not"]
    if fit.graph.streams:
        next_.append(f"pitmanyor report {name} -o report.html --open    # topics, posts and authors as a page")
        next_.append(f"pitmanyor infer {name} NEW_POSTS -o shares.csv    # topic proportions of new documents")
    code = OK
    done = min(run.chain.n_sweeps for run in fit.runs)
    if done < asked:
        code = INTERRUPTED
        shown.append(f"Stopped after {done} of {asked} sweeps.")
        next_.insert(0, f"pitmanyor resume {name}    # continues as if it had never stopped")
    about = {"run": str(path), "n_sweeps": fit.n_sweeps, "log_joint": fit.log_joint} | count_facts(fit)
    trust = fit.diagnose().summary
    shown.append(trust)
    return Answer(about | {"seconds": fit.seconds, "trust": trust, "topics": facts}, shown, next_, code)


def _write_topics(path: Path, fit: Fit) -> None:
    """A table for spreadsheets: a line per topic, stream and word."""
    rows = [["topic", "name", "share", "large", "found_by", "stream", "rank", "word", "probability"]]
    for topic in topic_facts(fit, 20):
        about = topic["topic"], topic["name"], topic["share"], int(topic["large"]), topic.get("found_by", "")
        for stream in (name for name in topic if name not in ABOUT):
            for rank, entry in enumerate(topic[stream], 1):
                values = (*about, stream, rank, entry["word"], entry["probability"])
                rows.append([str(value) for value in values])
    _write(path, rows)


def infer_file(path: Path, source: Source, out: Path, options: dict[str, Any]) -> Answer:
    from pitmanyor.results.fitting import load
    from pitmanyor.topics import view

    fit = load(path)
    found = source.read_later(fit)
    result, seen = fit.infer(found, **options), view(fit)
    lines = found.rows.tolist() if found.rows is not None else list(range(1, found.n_documents + 1))
    authors = found.groups.get("author")
    ids = [] if found.ids is None else list(found.ids)
    head = ["line", *(["id"] if ids else []), *(["author"] if authors else []), *(f"topic_{k}" for k in seen.topics)]
    rows = [head]
    for d, shares in enumerate(seen.fold(result.shares)):
        who = [str(authors.labels[authors.codes[d]])] if authors else []
        rows.append([str(lines[d]), *ids[d : d + 1], *who, *(f"{share:.6g}" for share in shares)])
    _write(out, rows)
    facts = {"out": str(out), "documents": found.n_documents, "topics": len(seen.topics)}
    facts |= {"n_dropped": result.n_dropped, "n_unknown": result.n_unknown}
    facts["not read"] = sum(one.documents for one in found.report.filters) if found.report else 0
    facts["bad lines"] = found.report.n_bad_lines if found.report else 0
    shown = [f"{found.n_documents:,} documents, {len(seen.topics)} topics: {out}"]
    shown += found.report.skipped() if found.report else []
    shown += [spelled(str(one)) for one in (found.report.filters if found.report else ()) if one.documents]
    shown += [f"left out {n:,} {name} tokens that the fit does not know" for name, n in result.n_dropped.items() if n]
    shown += [f"{n:,} {name}s that the fit does not know" for name, n in result.n_unknown.items() if n]
    return Answer(facts, shown, [f"pitmanyor topics {shlex.quote(str(path))}    # what the topics are about"])


def run_demo(out: Path, posts: int, sweeps: int, seed: int, quiet: bool) -> Answer:
    from pitmanyor.models import author_topic
    from pitmanyor.report import write_report
    from pitmanyor.simulation import simulate_microblog

    if (out / "run").exists():
        raise FileError(f"{out}: there is a demo already; choose a new directory")
    if not quiet:
        print(f"Simulating {posts:,} posts.")
    file, follows = simulate_microblog(posts=posts, authors=max(posts // 33, 2), seed=seed).write(out)
    source = Source([file], {"links": str(follows), "min_df": 2})
    graph = author_topic(hashtags=True)
    answer = _fit_corpus(
        graph, source.read(None), "author_topic", out / "run", {"sweeps": sweeps, "seed": seed}, quiet, None
    )
    page = write_report(out / "run", out / "report.html").resolve()
    answer.facts["report"] = str(page)
    answer.shown.append(f"The report, a page to be opened in any browser: {page}")
    answer.next.insert(0, f"pitmanyor check {shlex.quote(str(file))}    # what was read")
    return answer


def _write(path: Path, rows: list[list[str]]) -> None:
    from pitmanyor.export.sheets import csv_lines
    from pitmanyor.files import atomic_write

    with atomic_write(path) as file:
        file.write(csv_lines(rows))
