"""A few sweeps of a few models: collapsed, moves, explicit, new documents; and every byte they leave behind.

`python -m kernels.documents.sweep_dump out.npz float32` writes what `dump(["float32"])` gives; with NUMBA_DISABLE_JIT=1
the kernels then run as plain Python. The two must agree.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracle.toys import TOYS, Toy
from pitmanyor.corpus import Corpus
from pitmanyor.kernels.documents.fold_sweeps import Sweeps
from pitmanyor.kernels.documents.general.collapsed import UNSEEN
from pitmanyor.models import author_topic, bursty, hpyp, lda, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.split_merge import IN_TURN, LAUNCH_FIRST, SplitMerge
from pitmanyor.sampling.sweeps import collapsed, held_topics, initialise
from pitmanyor.sampling.switching import Switch
from pitmanyor.seeds import generator
from pitmanyor.state import State, new_state
from pitmanyor.state.state import Rule
from pitmanyor.state.topic_columns import arrange

PRECISIONS = {"float32": np.float32, "float64": np.float64}
N_SWEEPS = 2
N_MADE = 4
RULES: dict[str, Rule] = {"hpyp, singleton": "singleton", "two_parents": "singleton", "author_topic": "paper"}


def corpus() -> Corpus:
    """Three documents of two streams by two authors; one is long enough to fill more than one block of topics."""
    rng = np.random.Generator(np.random.Philox(7))
    sizes = {"word": [40, 8, 12], "hashtag": [3, 0, 2]}
    documents = {
        name: [[f"w{i}" for i in rng.geometric(0.15, size=n) % 25] for n in lengths] for name, lengths in sizes.items()
    }
    return Corpus.from_tokens(documents, groups={"author": ["ann", "bob", "ann"]})


POWER_LAWS = {"topic_discount": 0.5, "word_discount": 0.7}


def models() -> dict[str, Toy]:
    data = corpus()
    graphs = {
        "hpyp": hpyp(**POWER_LAWS, concentration=2.0),
        "hpyp, singleton": hpyp(**POWER_LAWS, concentration=2.0),
        "lda": lda(20),
        "author_topic": author_topic(**POWER_LAWS),
        "tntm": tntm(**POWER_LAWS).without("follows"),
        "bursty_hpyp": bursty(hpyp(topic_discount=0.0)),
        "bursty_tntm": bursty(tntm(**POWER_LAWS).without("follows")),
    }
    toys = {name: TOYS[name]() for name in ("two_parents", "fixed_mix", "author_words", "bursty_layers")}
    return {name: (graph, data) for name, graph in graphs.items()} | toys


def precisions(model: str) -> tuple[str, ...]:
    """Single precision, as people run it; the toys, which exact tests run in double precision, in both."""
    return ("float32", "float64") if model in TOYS else ("float32",)


def arrays(state: State) -> dict[str, NDArray[np.generic]]:
    net, text = state.net, state.text
    found = {"topic": text.topic, "code": text.code, "measures": text.measures}
    return found | {name: getattr(net, name) for name in ("counts", "to", "totals", "n_to", "stay", "open", "status")}


def split_and_merged(state: State) -> dict[str, NDArray[np.generic]]:
    """Moves of both kernels, the first of which are made whatever their ratio."""
    seed, moves = (5, 0, N_SWEEPS + 1), SplitMerge(state)
    rng = generator(seed, 0)
    moves.index(state)
    ratios = []
    for number, kernel in enumerate((LAUNCH_FIRST, IN_TURN) * N_MADE):
        selection = moves.select(state, rng, splits=number % 4 < 2)
        if selection is not None:
            proposal = moves.propose(state, kernel, selection, (*seed, number))
            (moves.accept(state, proposal, (*seed, number)) if number % 3 else moves.refuse(state, proposal))
            ratios.append(proposal.log_alpha)
    moves.step(state, seed, [IN_TURN, LAUNCH_FIRST] * N_MADE)
    found = {f"moves {name}": array.copy() for name, array in arrays(state).items()}
    return found | {"moves ratios": np.array(ratios)}


def explicit(state: State) -> dict[str, NDArray[np.generic]]:
    """The first document among topics of the others: vectors drawn, the document updated, counts rebuilt."""
    is_anchor, seed = np.arange(state.plan.n_documents) > 0, (5, 0, N_SWEEPS + 2)
    n_held = arrange(state, held_topics(state, is_anchor))
    switch = Switch(state)
    switch.down(state, seed, n_held=n_held)
    vectors = state.net.stay.copy()
    Explicit(state, 1).sweep(state, np.array([0]), n_held, seed, 2)
    switch.up(state, seed)
    return {f"explicit {name}": array for name, array in (arrays(state) | {"vectors": vectors}).items()}


def folded(state: State) -> dict[str, NDArray[np.generic]]:
    """The documents again, as if they were new, over vectors drawn from the state."""
    Switch(state).down(state, (5, 0, N_SWEEPS + 3))
    state.text.topic[:], state.text.code[:] = UNSEEN, (1 << 32) - 1
    if not state.engine.folds:
        return {"folded": np.zeros(0)}
    sweeps = Sweeps(6, 2, 4, 1, seed=5, by_chance=True)
    return {"folded": Explicit(state, 1).fold(state, len(state.plan.graph.streams) - 1, sweeps).shares}


def dump(wanted: Sequence[str]) -> dict[str, NDArray[np.generic]]:
    """The arrays of every model after a few sweeps, by model, precision (of those that are wanted) and name."""
    found = {}
    for model, (graph, data) in models().items():
        plan = compile_plan(graph, data)
        for precision in set(wanted).intersection(precisions(model)):
            kind = PRECISIONS[precision]
            rule = RULES.get(model, "clamp")
            state = new_state(plan, rule=rule, precision=kind)
            initialise(state, (5, 0, 0), n_topics=2 if model in TOYS else 20)
            for sweep in range(1, N_SWEEPS + 1):
                collapsed(state, np.arange(plan.n_documents), (5, 0, sweep))
            left = {name: array.copy() for name, array in arrays(state).items()}
            if kind is np.float32:  # a move reads counts, which have no precision
                left |= split_and_merged(state)
            left |= explicit(state) | folded(state)
            found |= {f"{model}/{precision}/{name}": array for name, array in left.items()}
    return found


if __name__ == "__main__":
    np.savez(sys.argv[1], **dump(sys.argv[2:]))
