"""Who follows whom in the US Congress: the TNTM, its text alone and its network alone on congress_follow's core.

Run `python -m benchmarks.congress --seeds 1 2 3 --text 60 --both 60`. Every seed hides another tenth of the pairs. Text
is sampled first; from there one run goes on with the network and one without it. What was measured is in a JSON file
for each seed; a run that was broken off, or is asked for more sweeps than it has, goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import congress_core
from pitmanyor import Corpus, Fit, Graph, Network, Sampler, fit, load, models, resume
from pitmanyor.network.auc import auc
from pitmanyor.network.evidence import log_evidence
from pitmanyor.network.observed import LINKED, UNSEEN
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.plan import compile_plan
from pitmanyor.runs.directory import read_header, write_header
from pitmanyor.sampling.text_and_network import kernel_of, observed_links

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results" / "congress"
WORK = Path(__file__).parent.parent / ".congress"
N_TOPICS = 10  # of the network alone
ALONE_SWEEPS = 500
NEVER = 10**9  # sweeps
PARTS = ("alone", "tntm", "text")
COLLAPSED_FIRST = 0  # topics are dealt at random


def links_alone() -> Graph:
    """The random function network model: the TNTM's followers without any text."""
    g = Graph()
    g.pyp("nu", base=g.gem("mu0"), plate="author")
    g.links("follows", between="nu")
    return g


class Case:
    """One seed's corpus, its hidden pairs, and how a fit does on them."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.seed = seed
        self.corpus, self.held = corpus.hide_links("follows", by="author", share=0.1, seed=seed)
        plan = compile_plan(models.tntm(), self.corpus)
        self.authors = list(plan.instances["nu"].labels)
        self.links = plan.graph.link_sets[0]
        self.seen = observed_links(plan, self.links)
        place = {name: i for i, name in enumerate(self.authors)}
        self.pairs = np.array([(place[a], place[b]) for a, b in self.held.pairs]).T

    def auc(self, cosine: Floats) -> float:
        """Of the hidden pairs."""
        return auc(cosine[tuple(self.pairs)], self.held.linked)

    def auc_seen(self, cosine: Floats) -> float:
        known = self.seen.pairs != UNSEEN
        return auc(cosine[known], self.seen.pairs[known] == LINKED)

    def evidence(self, cosine: Floats) -> float:
        """log p(X | nu), the random function integrated out."""
        links = SimilarLinks(kernel_of(self.links))
        links.lay(np.minimum(cosine, 1.0), *self.seen.both_ways())
        return log_evidence(links, np.random.default_rng(self.seed), 200).log_likelihood

    def look(self, fitted: Fit) -> tuple[dict[str, float], Floats]:
        """What a state is worth, and its cosines."""
        cosine = cosines(fitted.mean("nu", "discard"))
        said = {"sweeps": fitted.n_sweeps, "topics": fitted.n_topics, "log_joint": fitted.log_joint}
        said |= {"auc": self.auc(cosine), "auc_seen": self.auc_seen(cosine), "log_likelihood": self.evidence(cosine)}
        for name, values in fitted.trace.items():
            if name.startswith(("network/accepted", "concentration/nu", "customers/nu")):
                said[name] = float(values[-20:].mean())
        return {name: value for name, value in said.items() if np.isfinite(value)}, cosine


def cosines(vectors: Floats) -> Floats:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(unit @ unit.T)


def use(corpus: Corpus, stream: str, authors: list[Any]) -> Floats:
    """How often each author uses each word of a stream."""
    data, group = corpus.streams[stream], corpus.groups["author"]
    documents = np.repeat(np.arange(corpus.n_documents), np.diff(data.offsets))
    counts = np.zeros((len(group.labels), len(corpus.vocabulary)))
    np.add.at(counts, (group.codes[documents], data.words), 1.0)
    return counts[[group.labels.index(name) for name in authors]]


def references(case: Case) -> dict[str, float]:
    """AUC of the hidden pairs by plain numbers: what authors use, and what the other links say."""
    out = {f"cosine of {name} use": cosines(use(case.corpus, name, case.authors)) for name in ("hashtag", "word")}
    out["cosine of root hashtag use"] = cosines(np.sqrt(use(case.corpus, "hashtag", case.authors)))
    known, linked = case.seen.pairs != UNSEEN, case.seen.pairs == LINKED
    degrees = [np.log((linked.sum(axis=a) + 1) / ((known & ~linked).sum(axis=a) + 1)) for a in (1, 0)]
    out["how many one follows, and is followed by"] = degrees[0][:, None] + degrees[1]
    out["the same, and whether the other follows back"] = (
        out["how many one follows, and is followed by"] + 9.0 * linked.T
    )
    return {name: case.auc(scores) for name, scores in out.items()}


def sweep_to(path: Path, target: int, every: int) -> Iterator[tuple[Fit, float]]:
    """A run taken on, `every` sweeps at a time: the fit and CPU seconds a sweep."""
    done = load(path).n_sweeps
    while done < target:
        start = process_time()
        fitted = resume(path, min(done + every, target), threads=1)
        yield fitted, (process_time() - start) / (fitted.n_sweeps - done)
        done = fitted.n_sweeps


def branch(source: Path, target: Path, text_sweeps: int) -> None:
    """A copy of a run for which the network joins at another time."""
    shutil.copytree(source, target)
    header = read_header(target)
    write_header(
        target,
        header.with_settings(
            replace(header.settings, network=replace(header.settings.network, text_sweeps=text_sweeps))
        ),
    )


class Record:
    """The JSON file of a seed, written after every look; cosines lie beside the runs."""

    def __init__(self, name: str) -> None:
        self.file, self.work = RESULTS / f"{name}.json", WORK / name
        self.work.mkdir(parents=True, exist_ok=True)
        self.said: dict[str, Any] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.said, indent=1) + "\n")

    def add(self, part: str, point: dict[str, float], cosine: Floats) -> Floats:
        """One more look; returns the average cosines of the later half of the looks so far."""
        points = self.said.setdefault(part, {"points": []})["points"]
        kept = self.work / f"{part}.npy"
        stack = np.concatenate([np.load(kept)[: len(points)], cosine[None]]) if points else cosine[None]
        points.append(point)
        np.save(kept, stack)
        return np.asarray(stack[len(stack) // 2 :].mean(axis=0))


def sample(record: Record, case: Case, part: str, path: Path, target: int, every: int) -> None:
    """Take a run on to its target, look at it on the way, and describe what it has come to."""
    for fitted, cpu in sweep_to(path, target, every):
        point, cosine = case.look(fitted)
        average = record.add(part, point | {"cpu_seconds_a_sweep": cpu}, cosine)
        record.said[part]["auc_of_average"] = case.auc(average)
        if fitted.n_sweeps == target and part != "first":
            record.said[part] |= describe(fitted, average, case)
        record.write()
        print(part, case.seed, {name: round(value, 4) for name, value in record.said[part]["points"][-1].items()})


def describe(fitted: Fit, alike: Floats, case: Case) -> dict[str, Any]:
    """Topics by size with their top three hashtags and words, and the nearest author of every author."""
    said: dict[str, Any] = {}
    if fitted.graph.streams:
        shares = np.bincount(fitted.state.text.topic, minlength=fitted.n_topics) / len(fitted.state.text.topic)
        tops = {name: fitted.topics(3, name) for name in ("hashtag", "word")}
        order = np.argsort(-shares, kind="stable")[:40].tolist()
        said["topics"] = [
            {"share": round(float(shares[k]), 5)} | {name: [word for word, _ in top[k]] for name, top in tops.items()}
            for k in order
        ]
    np.fill_diagonal(alike, -1.0)
    said["nearest"] = {name: case.authors[int(row.argmax())] for name, row in zip(case.authors, alike, strict=True)}
    return said


def run_seed(corpus: Corpus, given: argparse.Namespace, seed: int) -> None:
    """All fits of one seed, to a share of every author's posts."""
    share, text, both, every = given.share, given.text, given.both, given.every
    if share < 1.0:
        _, corpus = corpus.split(share, by="author", seed=seed)
    record, case = Record(f"seed-{seed}" + f"-share-{share}" * (share < 1.0)), Case(corpus, seed)
    record.said["settings"] = {"seed": seed, "share": share, "text_sweeps": text, "sweeps": text + both}
    record.said["reference"] = references(case)
    record.write()
    paths = {name: record.work / name for name in ("first", "tntm", "text")}
    if not paths["first"].exists():
        fit(
            models.tntm(), case.corpus, 0, seed=seed, keep=0, threads=1, save_to=paths["first"],
            sampler=Sampler(collapsed_first=COLLAPSED_FIRST), network=Network(text_sweeps=text),
        )  # fmt: skip
    sample(record, case, "first", paths["first"], text, every)
    for name, joins in (("tntm", text), ("text", NEVER)):
        if name not in given.parts:
            continue
        if not paths[name].exists():
            branch(paths["first"], paths[name], joins)
        sample(record, case, name, paths[name], text + both, every)


def run_links(corpus: Corpus, seed: int) -> None:
    """The network alone, by the same hidden pairs."""
    record, case = Record(f"links-{seed}"), Case(corpus, seed)
    path = record.work / "alone"
    if not path.exists():
        fit(
            links_alone(),
            case.corpus,
            0,
            seed=seed,
            keep=0,
            threads=1,
            save_to=path,
            network=Network(n_topics=N_TOPICS),
        )
    sample(record, case, "alone", path, ALONE_SWEEPS, ALONE_SWEEPS // 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--text", type=int, default=200, help="sweeps of text alone")
    parser.add_argument("--both", type=int, default=300, help="sweeps after these")
    parser.add_argument("--every", type=int, default=10, help="sweeps between two looks")
    parser.add_argument("--share", type=float, default=1.0, help="of every author's posts")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="of the three")
    given = parser.parse_args()
    corpus = congress_core()
    if corpus is None:
        raise SystemExit("congress_follow is not at hand")
    for seed in given.seeds:
        if "alone" in given.parts:
            run_links(corpus, seed)
        if set(given.parts) != {"alone"}:
            run_seed(corpus, given, seed)


if __name__ == "__main__":
    main()
