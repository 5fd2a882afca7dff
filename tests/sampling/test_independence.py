"""Given the shared vectors documents are independent: together or one by one, they come out the same."""

import numpy as np
import pytest

from kernels.documents.sweep_dump import corpus
from pitmanyor.models import author_topic, tntm
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.sampling.sweeps import collapsed, initialise
from pitmanyor.sampling.switching import Switch
from pitmanyor.state import new_state
from pitmanyor.state.topic_columns import arrange

N_SWEEPS = 12


@pytest.mark.nojit
@pytest.mark.parametrize("graph", [author_topic(), tntm().without("follows")], ids=["author_topic", "tntm"])
def test_documents_by_several_authors_together_or_one_by_one(graph):
    """What one author's document leaves in the scratch, such as a sum over topics, must not serve another's."""
    plan = compile_plan(graph, corpus())
    state = new_state(plan, precision=np.float32)
    initialise(state, (5, 0, 0), n_topics=20)
    collapsed(state, np.arange(plan.n_documents), (5, 0, 1))
    n_held = arrange(state, np.ones(state.capacity, bool))
    Switch(state).down(state, (5, 0, 1))
    for seed in ((5, 0, sweep) for sweep in range(2, 2 + N_SWEEPS)):
        before = state.text.topic.copy(), state.text.code.copy()
        Explicit(state, 1).sweep(state, np.arange(plan.n_documents), n_held, seed)
        together = state.text.topic.copy(), state.text.code.copy()
        state.text.topic[:], state.text.code[:] = before
        for d in range(plan.n_documents):
            Explicit(state, 1).sweep(state, np.array([d]), n_held, seed)
        assert (together[0] != before[0]).any()
        assert together[0].tobytes() == state.text.topic.tobytes()
        assert together[1].tobytes() == state.text.code.tobytes()
