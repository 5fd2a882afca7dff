"""The collapsed sweep leaves the enumerated posterior exactly as it is: pi P = pi for the real code (maths 2-4)."""

from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from kernels.documents.exact import Chain
from oracle.toys import TOYS, Toy
from pitmanyor.corpus import Corpus

pytestmark = pytest.mark.nojit

RULES = ("clamp", "paper", "singleton")
EXACT = sorted(set(TOYS) - {"diamond_two_authors"})  # 6,399 states: one token for each rule
SMALL = ("single_parent", "three_layers_no_discount", "author_words", "nested_groups", "finite_topics")
# document to visit; all starting states where there are few, else as many evenly spread ones
VISITS = {
    "single_parent": (0, 100),
    "three_layers": (1, 8),
    "two_parents": (0, 8),
    "small_diamond": (0, 8),
    "bursty": (1, 8),
    "author_words": (2, 8),
    "finite_topics": (0, 100),
    "own_vocabularies": (1, 8),
}


def small_diamond() -> Toy:
    """A hashtag and a word: one more token makes a visit too long to follow down all its branches."""
    graph, _ = TOYS["diamond"]()
    return graph, Corpus.from_tokens({"hashtag": [["x"]], "word": [["x"]]}, groups={"author": ["ann"]})


MODELS = {**TOYS, "small_diamond": small_diamond}


@cache
def updates(toy: str, rule: str) -> tuple[Chain, dict[int, csr_array]]:
    """The transition matrix of every token; in large toys of one token in each run of equal words."""
    chain = Chain(MODELS[toy](), rule)
    tokens = chain.tokens(all_of_a_run=len(chain.states) < 300)
    return chain, {token: chain.token_update(token) for token in tokens}


def distance(one: csr_array, other: csr_array) -> float:
    return float(abs(one - other).max())


# under every rule: one parent, three layers, two parents, the TNTM's diamond (all of them without discounts, too), two
# streams; the rest with --long
EVERY_RULE = {"single_parent", "three_layers", "two_parents", "diamond", "own_vocabularies"}
EVERY_RULE |= {toy for toy in TOYS if toy.endswith("no_discount")}
CASES = [
    pytest.param(toy, rule, marks=[pytest.mark.long] * (rule != "clamp" and toy not in EVERY_RULE))
    for toy in EXACT
    for rule in RULES
]


@pytest.mark.parametrize(("toy", "rule"), CASES)
def test_updating_a_token_leaves_the_posterior_as_it_is(toy, rule):
    chain, matrices = updates(toy, rule)
    for matrix in matrices.values():
        assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
        assert chain.error(matrix) < 1e-12
        assert np.count_nonzero(matrix.sum(axis=0)) == len(chain.states)  # it reaches every state


TWO_AUTHORS = [
    pytest.param(*case, marks=[pytest.mark.long] * i) for i, case in enumerate(zip(RULES, (3, 0, 2), strict=True))
]


@pytest.mark.parametrize(("rule", "token"), TWO_AUTHORS)
def test_updating_a_token_of_two_authors_leaves_the_posterior_as_it_is(rule, token):
    """The last author's word, the first one's hashtag, and one of his words."""
    chain = Chain(TOYS["diamond_two_authors"](), rule)
    matrix = chain.token_update(token)
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert chain.error(matrix) < 1e-12


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("toy", ["single_parent", "two_parents"])
def test_with_a_topic_cap_the_target_is_the_posterior_given_so_few_topics(toy, rule):
    chain = Chain(TOYS[toy](), rule, max_topics=2)
    assert len(chain.states) < len(updates(toy, rule)[0].states)
    for token in chain.tokens(all_of_a_run=False):
        assert chain.error(chain.token_update(token)) < 1e-12


@pytest.mark.parametrize("toy", VISITS)
def test_a_visit_is_its_tokens_updated_one_after_the_other(toy):
    """So nothing that scoring keeps from one token to the next is stale."""
    d, n = VISITS[toy]
    chain = Chain(MODELS[toy](), "clamp")
    starts = np.unique(np.linspace(0, len(chain.states) - 1, n).astype(int))
    expected = csr_array(np.eye(len(chain.states))[starts])
    for token in chain.tokens(d):
        expected = expected @ updated(toy, token)
    assert distance(chain.visit(d, starts), expected) < 1e-14


def updated(toy: str, token: int) -> csr_array:
    chain, matrices = updates(toy, "clamp")
    if token not in matrices:
        matrices[token] = chain.token_update(token)
    return matrices[token]


@pytest.mark.parametrize("toy", ["single_parent", "finite_topics"])
def test_visiting_a_document_leaves_the_posterior_as_it_is(toy):
    chain = Chain(TOYS[toy](), "paper")
    for d in range(2):
        assert chain.error(chain.visit(d, range(len(chain.states)))) < 1e-12


@pytest.mark.parametrize("toy", SMALL)
def test_sweeps_under_clamp_can_reach_every_state_from_every_other(toy):
    chain, _ = updates(toy, "clamp")
    sweep = csr_array(np.eye(len(chain.states)))
    for token in chain.tokens():
        sweep = sweep @ updated(toy, token)
    assert sweep.diagonal().min() > 0  # aperiodic
    assert connected_components(sweep > 0, connection="strong")[0] == 1
