"""What label, recommend and export do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pitmanyor.cli.answers import Answer
from pitmanyor.errors import FileError, PlanError
from pitmanyor.files import made_directory

if TYPE_CHECKING:
    from pitmanyor.results.fitting import Fit
    from pitmanyor.topics import Scored

DISAGREE = "Intervals are left out because the chains disagree: they would be far too narrow."
PARTS = ("words", "links", "popularity", "activity", "answer")  # of the reason for a link
FORMATS = ("csv", "parquet", "gexf", "graphml", "pyldavis", "mallet", "arviz", "figures")


class Naming(NamedTuple):
    """What to do to names, as it was typed: TOPIC=NAME, TOPIC,TOPIC[=NAME], topics to forget."""

    rename: list[str]
    merge: list[str]
    reset: list[int]
    reset_all: bool


NOTHING = Naming([], [], [], False)


def label_run(path: Path, wish: Naming, by: Any, n: int) -> Answer:
    from rich.markup import escape
    from rich.table import Table

    from pitmanyor.results.fitting import load
    from pitmanyor.runs.directory import NAMES
    from pitmanyor.topics import prevalence, view
    from pitmanyor.topics.prevalences import enough
    from pitmanyor.topics.standing import large_topics

    fit = load(path)
    _change(fit, wish)
    shown, spread = view(fit, n, by), prevalence(fit)
    order = sorted(range(len(shown.names)), key=lambda k: -spread.shares[0, k])
    facts: list[dict[str, Any]] = [
        {"topic": shown.topics[k], "name": shown.names[k], "members": list(shown.members[k])}
        | {"share": float(spread.shares[0, k])}
        | {part: float(getattr(spread, part)[0, k]) for part in ("low", "high")}
        for k in order
    ]
    disagrees = fit.diagnose().disagrees
    table = Table("topic", "share", *([] if disagrees else [f"{spread.level:.0%} interval"]), "name")
    is_shown = large_topics(fit, shown)
    large = [one for one, k in zip(facts, order, strict=True) if is_shown[k] or one["members"] != [one["topic"]]]
    for one in large:
        merged = "" if len(one["members"]) == 1 else f"  (merged: {', '.join(map(str, one['members']))})"
        between = [] if disagrees else [f"{one['low']:.1%} to {one['high']:.1%}"]
        table.add_row(str(one["topic"]), f"{one['share']:.1%}", *between, escape(f"{one['name']}{merged}"))
    few = f"how documents differ (fewer than {enough(spread.level)} samples kept)"
    how = "the samples the run kept" if spread.interval == "samples" else few
    home = fit.home or path
    said = [table, DISAGREE if disagrees else f"Intervals are of {how}."]
    said.append(f"{fit.topic_count()}.")
    if (home / NAMES).exists():
        said.append(f"Names of your own are in {home / NAMES}.")
    name, first, second = shlex.quote(str(path)), facts[0]["topic"], facts[min(1, len(facts) - 1)]["topic"]
    next_ = [
        f"pitmanyor label {name} --rename {first}=NAME    # in every output",
        f"pitmanyor label {name} --merge {first},{second}=NAME    # shown as one",
        f"pitmanyor export {name} -o OUT    # every table",
    ]
    return Answer({"run": str(home), "interval": spread.interval, "topics": facts}, said, next_)


def _change(fit: Fit, wish: Naming) -> None:
    """All is read before anything is done, and either all of it is done or nothing."""
    from pitmanyor.topics.names import Changes, change

    if wish != NOTHING:
        forget: list[int] | Literal["all"] = "all" if wish.reset_all else wish.reset
        change(fit, Changes(forget, [_group(text) for text in wish.merge], dict(map(_name, wish.rename))))


def _group(text: str) -> tuple[list[int], str | None]:
    """Topics to merge, and their name.

    >>> _group("3, 7=health")
    ([3, 7], 'health')
    """
    found = re.fullmatch(r"\s*(\d+(?:\s*,\s*\d+)+)\s*(?:=(.*))?", text, re.DOTALL)
    if found is None:
        raise PlanError(f"--merge takes topics such as 3,7 or 3,7=health, not {text!r}")
    return [int(topic) for topic in found[1].split(",")], found[2]


def _name(text: str) -> tuple[int, str]:
    """A topic and its name.

    >>> _name("3=health")
    (3, 'health')
    """
    topic, equals, name = text.partition("=")
    if not equals or not topic.strip().isdecimal():
        raise PlanError(f"--rename takes TOPIC=NAME such as 3=health, not {text!r}")
    return int(topic), name


class Wish(NamedTuple):
    """What to recommend, and for whom."""

    text: str | None
    author: str | None
    posts: Path | None
    n: int
    by: Any
    links: str | None
    seed: int


def recommend_from(path: Path, wish: Wish) -> Answer:
    from pitmanyor.results.fitting import load
    from pitmanyor.topics import recommend_authors, recommend_tags

    if wish.text is None and wish.author is None and wish.posts is None:
        raise PlanError('say what for: --text "a draft" for hashtags, --author NAME or --posts FILE for whom to follow')
    if wish.posts is not None and (wish.text is not None or wish.author is not None):
        raise PlanError("--posts are of somebody new: give it without --text and --author")
    fit = load(path)
    name = shlex.quote(str(path))
    if wish.text is not None:
        found: Sequence[Scored] = recommend_tags(fit, wish.text, wish.author, wish.n, by=wish.by, seed=wish.seed)
        what, score, sign = "hashtags", "probability of the next hashtag", "#"
        next_ = [f"pitmanyor label {name}    # the topics behind them"]
    else:
        posts = None if wish.posts is None else _lines(wish.posts)
        found = recommend_authors(fit, wish.author, posts=posts, n=wish.n, links=wish.links, seed=wish.seed)
        linked = posts is None and bool(fit.state.network)
        what, sign = "authors", ""
        score = "probability of a link" if linked else "affinity of topics (1: the same)"
        next_ = [f"pitmanyor export {name} -o OUT --as gexf    # all authors with their topics, as a graph"]
    facts = {what: [_fact(one) for one in found], "score": score}
    shown = [f"{sign}{_line(one)}" for one in found] or [f"no {what} are left to recommend"]
    return Answer({"run": str(fit.home)} | facts, [*shown, f"\nThe number is the {score}."], next_)


def _fact(one: Scored) -> dict[str, Any]:
    """A suggestion for machines, with the parts of its reason if there is one."""
    reason = getattr(one, "reason", None)
    said = {} if reason is None else {"reason": reason.main} | {part: getattr(reason, part) for part in PARTS}
    return {"label": str(one.label), "score": one.score} | said


def _line(one: Scored) -> str:
    reason = getattr(one, "reason", None)
    return f"{one.label}  {one.score:.3g}" + ("" if reason is None else f"  {reason}")


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read as UTF-8 text, a post on each line ({error})") from error
    posts = [line for line in text.splitlines() if line.strip()]
    if not posts:
        raise FileError(f"{path}: has no post; write one on each line")
    return posts


def export_run(path: Path, out: Path, kinds: list[str], n_words: int) -> Answer:
    from pitmanyor.results.fitting import load

    for kind in kinds:
        if kind not in (*FORMATS, "all"):
            raise PlanError(f"--as takes {', '.join(FORMATS)} or all, not {kind!r}")
    wanted = FORMATS if "all" in kinds else tuple(dict.fromkeys(kinds))
    fit = load(path)
    made_directory(out)
    written, skipped = [], {}
    for kind in wanted:
        try:
            written += _writer(kind)(fit, out, n_words)
        except PlanError as error:
            if "all" not in kinds:
                raise
            skipped[kind] = str(error)
    shown = [*(str(file) for file in written), *(f"not written: {kind}: {why}" for kind, why in skipped.items())]
    next_ = {
        "csv": f"open {out / 'topics.csv'} in a spreadsheet",
        "parquet": f"""duckdb -c "select * from '{out / "topics.parquet"}'" """.strip(),
        "gexf": f"open {out / 'authors.gexf'} in Gephi",
        "graphml": f'networkx.read_graphml("{out / "authors.graphml"}")',
        "pyldavis": f'pyLDAvis.prepare(**json.load(open("{out / "pyldavis.json"}")))',
        "mallet": f"gunzip -c {shlex.quote(str(out / 'state.mallet.gz'))} | head",
        "arviz": f'arviz.summary(arviz.from_netcdf("{out / "draws.nc"}"))',
        "figures": f"look at {out / 'figures'}",
    }
    facts = {"run": str(path), "files": [str(file) for file in written], "skipped": skipped}
    return Answer(facts, shown, [line for kind, line in next_.items() if kind in wanted and kind not in skipped])


Writer = Callable[["Fit", Path, int], list[Path]]


def _writer(kind: str) -> Writer:
    """How a format is written: the run, the directory, and how many words."""
    from pitmanyor import export

    def one(write: Callable[..., None], name: str) -> Writer:
        def written(fit: Fit, out: Path, n_words: int) -> list[Path]:
            write(fit, out / name)
            return [out / name]

        return written

    def figures(fit: Fit, out: Path, n_words: int) -> list[Path]:
        from pitmanyor.figures import write_figures

        return write_figures(fit, out / "figures")

    writers: dict[str, Writer] = {
        "csv": lambda fit, out, n: export.write_tables(fit, out, "csv", n),
        "parquet": lambda fit, out, n: export.write_tables(fit, out, "parquet", n),
        "gexf": one(export.write_gexf, "authors.gexf"),
        "graphml": one(export.write_graphml, "authors.graphml"),
        "pyldavis": one(export.write_pyldavis, "pyldavis.json"),
        "mallet": one(export.write_mallet, "state.mallet.gz"),
        "arviz": one(export.write_arviz, "draws.nc"),
        "figures": figures,
    }
    return writers[kind]
