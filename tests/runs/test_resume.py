"""A run that was cut and resumed is the run that never stopped, bit for bit."""

import random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import random_models
from pitmanyor import FileError, PlanError, Start, fit, load, resume
from saving import GRAPHS, OPTIONS, SWEEPS, CutError, assert_same, corpus_of, cutting, sweeping

N_SWEEPS = 18  # Stirling tables are looked at after every eighth
CUTS = 120


def cuts() -> list[tuple[str, str, int]]:
    """Some hundred cut points: every model and kind of sweep in turn, at random sweeps."""
    rng = random.Random(1)
    kinds = [(model, kind) for model in GRAPHS for kind in SWEEPS]
    return [(*kinds[i % len(kinds)], rng.randrange(N_SWEEPS)) for i in range(CUTS)]


@pytest.mark.parametrize("kind", SWEEPS)
@pytest.mark.parametrize("model", GRAPHS)
def test_cut_and_resumed_at_random_sweeps(tmp_path, model, kind):
    graph, corpus = GRAPHS[model], corpus_of(model)
    mine = [sweep for name, how, sweep in cuts() if (name, how) == (model, kind)]
    assert len(mine) >= 8
    with sweeping(kind):
        whole = fit(graph, corpus, sweeps=N_SWEEPS, **OPTIONS)
        for i, sweep in enumerate(mine):
            path = tmp_path / str(i)
            with cutting(sweep), pytest.raises(CutError):
                fit(graph, corpus, sweeps=N_SWEEPS, save_to=path, save_every=0, **OPTIONS)
            assert load(path).n_sweeps == sweep
            assert_same(resume(path, threads=1), whole)
            assert_same(load(path), whole)


@settings(max_examples=25)
@given(random_models.models(), st.integers(0, 9), st.sampled_from(sorted(SWEEPS)))
def test_any_graph_is_cut_and_resumed(tmp_path_factory, model, sweep, kind):
    """Mixes, crossed plates, concentrations of every instance, two streams: whatever the language can say."""
    graph, corpus = model
    path = tmp_path_factory.mktemp("any") / "run"
    with sweeping(kind):
        whole = fit(graph, corpus, sweeps=10, **OPTIONS)
        with cutting(sweep), pytest.raises(CutError):
            fit(graph, corpus, sweeps=10, save_to=path, save_every=0, **OPTIONS)
        assert_same(resume(path, threads=1), whole)


@pytest.mark.parametrize("model", GRAPHS)
def test_many_splits_and_merges_are_cut_and_resumed(tmp_path, model):
    graph, corpus = GRAPHS[model], corpus_of(model)
    with sweeping("mixed"), patch("pitmanyor.sampling.split_merge.MOVES", 4.0):
        whole = fit(graph, corpus, sweeps=6, **OPTIONS)
        assert whole.trace["moves/tried_splits"].sum() + whole.trace["moves/tried_merges"].sum() > 12
        for sweep in (0, 3):
            path = tmp_path / str(sweep)
            with cutting(sweep), pytest.raises(CutError):
                fit(graph, corpus, sweeps=6, save_to=path, save_every=0, **OPTIONS)
            assert_same(resume(path, threads=1), whole)


@pytest.mark.parametrize("kind", SWEEPS)
def test_a_finished_run_can_be_made_longer(tmp_path, kind):
    corpus = corpus_of("tntm")
    options = OPTIONS | {"keep": 0}
    with sweeping(kind):
        fit(GRAPHS["tntm"], corpus, sweeps=7, save_to=tmp_path / "run", **options)
        longer = resume(tmp_path / "run", 19)
        assert_same(longer, fit(GRAPHS["tntm"], corpus, sweeps=19, **options))
        assert_same(resume(tmp_path / "run"), longer)  # nothing left to do


def test_a_fit_is_saved_from_memory_and_goes_on_from_there(tmp_path):
    corpus = corpus_of("hpyp")
    short = fit(GRAPHS["hpyp"], corpus, sweeps=10, **OPTIONS)
    short.save(tmp_path / "run")
    assert_same(load(tmp_path / "run"), short)
    assert load(tmp_path / "run").topics(5) == short.topics(5)
    longer = fit(GRAPHS["hpyp"], corpus, sweeps=14, **(OPTIONS | {"keep": 0}))
    assert resume(tmp_path / "run", 14).trace["log_joint"].tobytes() == longer.trace["log_joint"].tobytes()


def test_growing_columns_are_restored(tmp_path):
    """A start with many topics makes the columns grow; where a count lies keys its random numbers."""
    options = OPTIONS | {"start": Start(topics=60), "keep": 0}
    whole = fit(GRAPHS["author_topic"], corpus_of("author_topic"), sweeps=6, **options)
    assert whole.state.capacity > 48
    with cutting(2), pytest.raises(CutError):
        fit(
            GRAPHS["author_topic"], corpus_of("author_topic"), sweeps=6, save_to=tmp_path / "run",
            save_every=0, **options,
        )  # fmt: skip
    assert_same(resume(tmp_path / "run"), whole)


def test_a_run_without_any_checkpoint_starts_over(tmp_path):
    corpus = corpus_of("lda")
    whole = fit(GRAPHS["lda"], corpus, sweeps=5, save_to=tmp_path / "run", seed=1)
    (tmp_path / "run" / "state.safetensors").unlink()
    with pytest.raises(FileError, match="stopped before its first checkpoint; start it over by pitmanyor.resume"):
        load(tmp_path / "run")
    assert_same(resume(tmp_path / "run"), whole)


def test_what_cannot_be_resumed_is_refused(tmp_path):
    fit(GRAPHS["lda"], corpus_of("lda"), sweeps=5, save_to=tmp_path / "run", seed=1)
    with pytest.raises(PlanError, match="has 5 sweeps already: ask for as many or more, not 4"):
        resume(tmp_path / "run", 4)
    with pytest.raises(
        FileError, match=r"already exists; choose another directory, or continue the run with pitmanyor.re"
    ):
        fit(GRAPHS["lda"], corpus_of("lda"), sweeps=5, save_to=tmp_path / "run", seed=1)
    with pytest.raises(FileError, match="not a run: it has no header.json"):
        resume(tmp_path / "none")
