"""Every token of a new document is drawn by what its counts ask for, and brings what its chances say (maths 7).

As in the file of this name for kernels/documents, documents hold more topics than a vector has lanes, and slots are
given up and taken again. Tokens begin without seats, and short documents come after long ones.
"""

import numpy as np
import pytest

from kernels.documents.exact import replaced
from kernels.documents.exact_explicit import engine_for
from kernels.documents.test_weights_on_the_way import CASES, N_HELD, VOCABULARY, watch_draws
from pitmanyor.corpus import Corpus
from pitmanyor.fold_in.fixed_vectors import fix_vectors
from pitmanyor.graph import Graph
from pitmanyor.kernels.documents.fold_sweeps import Sweeps
from pitmanyor.kernels.documents.one_node import leaf_mean as one_node
from pitmanyor.kernels.documents.topic_nodes import leaf_mean as topic_nodes
from pitmanyor.kernels.runtime.simd import WIDTH
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.state import State, new_state

pytestmark = pytest.mark.nojit

SIZES = (27, 3, 27, 1, 20)
SWEEPS = Sweeps(5, 2, 5, 2, seed=1, by_chance=True)  # some are kept, which leaves means in the rows, some not


def new_documents(graph: Graph) -> State:
    """Documents of many words and of few, the first of them also as hashtags, and vectors by chance."""
    rng = np.random.default_rng(3)
    words = [[VOCABULARY[i] for i in rng.integers(5, size=size)] for size in SIZES]
    text = {s.name: words if s.name == "word" else [document[:6] for document in words] for s in graph.streams}
    authors = ["ann" if d % 2 else "bob" for d in range(len(SIZES))]
    plan = compile_plan(graph, Corpus.from_tokens(text, groups={"author": authors}, vocabulary=VOCABULARY))
    vectors = {}
    for node in plan.nodes:
        if not node.local:
            size = N_HELD if node.side == "topic" else len(VOCABULARY)
            shape = len(plan.instances[node.name]), N_HELD if node.per_topic else 1
            vectors[node.name] = rng.dirichlet(np.full(size, 2.0), shape)
    state = new_state(plan, precision=np.float64)
    local = [node.name for node in plan.nodes if node.local]
    fix_vectors(state, vectors, N_HELD, {name: 6.0 + 2.5 * i for i, name in enumerate(local)})
    return state


@pytest.mark.parametrize("case", CASES)
def test_weights_and_chances_are_those_of_the_counts(case):
    check(case)


BUGS = {
    "parts stay as they were, one node": ("one node", one_node.set_parts),
    "repeated words bring nothing, one node": ("bursty", one_node.count_repeats),
    "parts stay as they were, topic nodes": ("tntm", topic_nodes.set_parts),
    "parts stay behind where slots move": ("tntm", topic_nodes.move_parts),
    "repeated words bring nothing, topic nodes": ("bursty tntm", topic_nodes.count_repeats),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_in_what_tokens_bring_by_chance_show(bug):
    case, function = BUGS[bug]
    with replaced(function, lambda *arguments: None), pytest.raises(AssertionError):
        check(case)


def check(case: str) -> None:
    """Fold documents in and compare every draw."""
    engine, make, module, watch = CASES[case]
    state = new_documents(make()[0])
    watched, patched = watch_draws(watch, module)
    with patched:
        leaf = next(s for s, stream in enumerate(state.plan.graph.streams) if stream.name == "word")
        Explicit(state, 1, engine_for(state, engine)).fold(state, leaf, SWEEPS)
    assert sum(watched.seen.values()) > 400
    assert min(watched.seen) <= 2 and max(watched.seen) > WIDTH, "from no topic to more than a vector has lanes"
    assert watched.counted > 150
