"""What a state takes, and the refusal before it is too much."""

import re

import pytest

from pitmanyor.corpus import Corpus
from pitmanyor.errors import PlanError
from pitmanyor.models import author_topic, hpyp
from pitmanyor.plan import compile_plan
from pitmanyor.state import new_state
from pitmanyor.state.memory import PER_COUNT, memory_of, refuse_if_too_large

DOCUMENTS = [[f"w{(7 * d + n) % 50}" for n in range(100)] for d in range(40)]
CORPUS = Corpus.from_tokens(DOCUMENTS, groups={"author": [d % 5 for d in range(40)]})


@pytest.mark.parametrize("model", [hpyp, author_topic])
def test_tokens_take_at_most_24_bytes_each(model):
    state = new_state(compile_plan(model(), CORPUS))
    memory = memory_of(state)
    assert 12 * state.plan.n_tokens <= memory.tokens <= 24 * state.plan.n_tokens
    assert memory.total == memory.tables + memory.tokens + memory.scratch


def test_count_tables_are_what_the_layout_says():
    state = new_state(compile_plan(hpyp(), CORPUS))
    n_counts = state.layout.sizes[0]
    assert n_counts == 32 + 32 + 1 + 50 + 50 * 32
    assert memory_of(state).tables >= n_counts * PER_COUNT


def test_a_fit_that_cannot_fit_is_refused_with_the_figure(monkeypatch):
    plan = compile_plan(hpyp(), CORPUS)
    refuse_if_too_large(plan, 1000)
    size = {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 500_000}
    monkeypatch.setattr("pitmanyor.state.memory.os.sysconf", size.__getitem__)
    refuse_if_too_large(plan, 10)
    message = "with 1008 topic columns this model needs 0.0 GB, and this machine has 0.0; lower max_topics"
    message = re.sub(r"0\\\.0 GB", r"\\d+\\.\\d GB", re.escape(message))
    with pytest.raises(PlanError, match=message):
        refuse_if_too_large(plan, 1000)
