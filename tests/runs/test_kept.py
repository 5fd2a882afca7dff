"""Kept states: every estimate is the one that the whole state gives, to the last bit."""

import numpy as np
import pytest

from pitmanyor import Corpus, FileError, Network, fit, load, models
from pitmanyor.files import read_arrays, write_arrays
from pitmanyor.results.posterior import Posterior
from pitmanyor.runs.kept import Shell, pack_kept
from pitmanyor.topics.tags import tag_probabilities
from saving import GRAPHS, OPTIONS, corpus_of, sweeping

MADE = {
    "bursty": models.bursty(models.author_topic()),
    "own concentrations": models.hpyp().set("*", concentration_per="instance"),
}


def linked_posts():
    rng = np.random.default_rng(1)
    words = [[f"w{w}" for w in rng.integers(12, size=4)] for _ in range(24)]
    tags = [[f"t{rng.integers(4)}"] for _ in range(24)]
    authors = [f"a{d % 6}" for d in range(24)]
    links = [(f"a{i}", f"a{j}") for i in range(6) for j in range(6) if i != j and rng.random() < 0.4]
    return Corpus.from_tokens({"word": words, "hashtag": tags}, {"author": authors}, {"follows": links})


def whole_and_kept(result):
    """The last state of the chain, and the same as it was kept."""
    kept = result.samples[-1]
    assert max(result.run.samples) == result.n_sweeps
    return Posterior(result.chain.state, result.log_joint), kept


def assert_same_estimates(whole, kept):
    assert kept.log_joint == whole.log_joint and kept.n_topics == whole.n_topics
    for node in whole.state.plan.graph.nodes:
        assert kept.mean(node.name).tobytes() == whole.mean(node.name).tobytes(), node.name
        if len(node.parents) > 1:
            assert kept.mix_weight(node.name).tobytes() == whole.mix_weight(node.name).tobytes(), node.name
    for stream in whole.state.plan.graph.streams:
        assert np.array_equal(kept.token_topics(stream.name), whole.token_topics(stream.name))
        assert kept.topics(5, stream.name) == whole.topics(5, stream.name)
        assert kept.document_shares(stream.name).tobytes() == whole.document_shares(stream.name).tobytes()


def as_one_state(result, posterior):
    """The fit with this state as its only draw."""
    result.__dict__.pop("chains", None)
    result.run.samples = {result.n_sweeps: posterior}
    return result


@pytest.mark.parametrize("name", GRAPHS | MADE)
@pytest.mark.parametrize("kind", ["mixed", "collapsed"])
def test_estimates_are_those_of_the_whole_state(name, kind, tmp_path):
    corpus = corpus_of(name if name in GRAPHS else "author_topic")
    with sweeping(kind):
        result = fit((GRAPHS | MADE)[name], corpus, 6, save_to=tmp_path / "run", **OPTIONS)
    whole, kept = whole_and_kept(result)
    assert_same_estimates(whole, kept)
    assert_same_estimates(whole, load(tmp_path / "run").samples[-1])
    test = result.corpus.subset(range(5))
    for ask in (lambda: result.perplexity(test).total, lambda: result.token_probabilities(test, test).tobytes()):
        found = [ask() for posterior in (whole, kept) if as_one_state(result, posterior)]
        assert found[0] == found[1]


def test_links_and_tags_are_those_of_the_whole_state(tmp_path):
    corpus = linked_posts()
    result = fit(models.tntm(), corpus, 8, seed=1, keep=3, network=Network(text_sweeps=4), save_to=tmp_path / "run")
    whole, kept = whole_and_kept(result)
    for other in (kept, load(tmp_path / "run").samples[-1]):
        assert_same_estimates(whole, other)
        pairs = ["a0", "a1"], ["a2", "a0"]
        assert other.link_probability(*pairs).tobytes() == whole.link_probability(*pairs).tobytes()
        assert other.network_log_likelihood(n_draws=20) == whole.network_log_likelihood(n_draws=20)
    found = [tag_probabilities(as_one_state(result, one), corpus.subset([0, 1]))[1] for one in (whole, kept)]
    assert found[0].tobytes() == found[1].tobytes()


def test_only_the_state_that_is_asked_is_whole():
    result = fit(GRAPHS["hpyp"], corpus_of("hpyp"), 12, seed=1)
    assert len(result.samples) == 6
    shells = {id(kept.shell): kept.shell for kept in result.samples}
    for kept in result.samples:
        assert kept.state is kept.state
    assert len(shells) <= 2  # of as many layouts as there were


def test_what_only_a_sweep_reads_is_not_a_number():
    state = fit(GRAPHS["hpyp"], corpus_of("hpyp"), 2, seed=1).chain.state
    back = Shell(state).whole(pack_kept(state))
    assert all(np.isnan(part).all() for part in (back.net.stay, back.net.open, back.net.weight, back.text.measures))
    assert np.array_equal(back.net.counts, state.net.counts) and np.array_equal(back.text.code, state.text.code)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("topic", lambda part: part + np.uint8(50), "a token of a topic that is not there"),
        ("topic", lambda part: part[:-1], "topic has shape"),
        ("topic", lambda part: part.astype(np.int64), "topic has shape"),
        ("at", lambda part: part[::-1], "places of counts that are none"),
        ("at", lambda part: np.append(part[:-1], np.uint16(60_000)), "places of counts that are none"),
        ("counts", lambda part: -part, "a count below zero"),
        ("code", lambda part: part | np.uint8(255), "a walk to a parent that is not there"),
        ("status", lambda part: part[:-16], "has shape"),
        ("node_concentrations", lambda part: part[:-1], "node_concentrations has shape"),
    ],
)
def test_a_kept_state_that_does_not_fit_is_refused(tmp_path, name, change, message):
    """The checksum is right, and the content is not."""
    fit(GRAPHS["tntm"], corpus_of("tntm"), 4, seed=1, keep=1, save_to=tmp_path / "run")
    place = tmp_path / "run" / "sample-00000004.safetensors"
    said, arrays = read_arrays(place)
    write_arrays(place, said, arrays | {name: change(arrays[name])})
    with pytest.raises(FileError, match=message):
        load(tmp_path / "run")
