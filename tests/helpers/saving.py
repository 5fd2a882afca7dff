"""Small models to save and resume, and what it means that two fits are the same."""

from __future__ import annotations

from unittest.mock import patch

from pitmanyor import Corpus, Fit, Graph, Sampler, models, simulate
from pitmanyor.graph import Beta, Gamma
from pitmanyor.runs.advance import Run
from pitmanyor.runs.checkpoints import Checkpoints

GRAPHS: dict[str, Graph] = {
    "hpyp": models.hpyp(topic_discount=0.5, word_discount=0.7),
    "hdp_lda": models.hdp_lda(),
    "lda": models.lda(4),
    "author_topic": models.author_topic().set("theta", concentration_per="instance", concentration=Gamma(2, 1)),
    "tntm": models.tntm().without("follows"),
    "bursty": models.bursty(models.hdp_lda()),
    "discounts": models.bursty(models.hpyp()).set("*", discount=Beta(1, 1)),
}
# Beyond this many tokens sweeps are mixed: 0 makes them so here, for all sweeps after burn-in.
SWEEPS = {"collapsed": 20_000, "mixed": 0}
SAMPLER = Sampler(collapsed_first=2, anchors=0.3)
OPTIONS = {"seed": 3, "keep": 2, "sampler": SAMPLER, "threads": 1}


def sweeping(kind: str):
    return patch("pitmanyor.sampling.chain.SMALL_CORPUS", SWEEPS[kind])


def corpus_of(name: str) -> Corpus:
    fixed = GRAPHS[name].set("*", concentration=2.0)
    return simulate(fixed, documents=20, tokens=7, groups={"author": 3}, vocabulary=15, seed=1).corpus


class CutError(Exception):
    """The process is gone."""


def cutting(n_sweeps: int):
    """Break off right after the checkpoint of a sweep was written."""
    write = Checkpoints.write

    def write_and_go(self: Checkpoints, run: Run) -> None:
        write(self, run)
        if run.chain.n_sweeps == n_sweeps:
            raise CutError

    return patch.object(Checkpoints, "write", write_and_go)


def assert_same(one: Fit, other: Fit) -> None:
    """Every answer of two fits, and every byte of their states and of the tables that follow them."""
    assert (one.graph, one.n_sweeps, one.log_joint) == (other.graph, other.n_sweeps, other.log_joint)
    assert one.corpus.content_hash == other.corpus.content_hash
    assert list(one.trace) == list(other.trace)
    for name, values in one.trace.items():
        assert values.tobytes() == other.trace[name].tobytes(), name
    assert one.memory == other.memory
    for node in one.graph.nodes:
        assert one.mean(node.name).tobytes() == other.mean(node.name).tobytes(), node.name
        assert one.axes(node.name) == other.axes(node.name)
        if len(node.parents) > 1:
            assert one.mix_weight(node.name).tobytes() == other.mix_weight(node.name).tobytes()
    for name in ("nodes", "reals", "counts", "to", "totals", "n_to", "stay", "open", "rests", "weight", "status"):
        assert getattr(one.state.net, name).tobytes() == getattr(other.state.net, name).tobytes(), name
    assert one.state.tables.ratios.tobytes() == other.state.tables.ratios.tobytes()
    assert one.state.terms.small.tobytes() == other.state.terms.small.tobytes()
    for name in ("topic", "code", "concentration", "measures"):
        assert getattr(one.state.text, name).tobytes() == getattr(other.state.text, name).tobytes(), name
    assert len(one.samples) == len(other.samples)
    for mine, theirs in zip(one.samples, other.samples, strict=True):
        assert mine.log_joint == theirs.log_joint
        for node in one.graph.nodes:
            assert mine.mean(node.name).tobytes() == theirs.mean(node.name).tobytes(), node.name
