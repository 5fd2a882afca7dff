"""Which states a chain keeps, and what becomes of them when a run is made longer."""

import pytest

from pitmanyor import Sampler, fit, load, resume
from pitmanyor.runs.chain_settings import Settings
from saving import GRAPHS, corpus_of


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        (Settings(sweeps=40, seed=0, keep=4), [25, 30, 35, 40]),
        (Settings(sweeps=40, seed=0, keep=4, burn_in=0), [10, 20, 30, 40]),
        (Settings(sweeps=10, seed=0, keep=20), [6, 7, 8, 9, 10]),
        (Settings(sweeps=11, seed=0, keep=20, burn_in=9), [10, 11]),
        (Settings(sweeps=3, seed=0), []),
        (Settings(sweeps=0, seed=0, keep=20), []),
    ],
)
def test_states_are_spread_over_the_sweeps_after_the_burn_in(settings, kept):
    assert sorted(settings.kept) == kept
    assert Settings.from_json(settings.to_json()) == settings


@pytest.mark.nojit
@pytest.mark.parametrize("sweeps", [1, 7, 99, 500, 1001])
@pytest.mark.parametrize("burn_in", [None, 0])
def test_as_many_states_are_kept_as_were_asked_for_or_as_there_are(sweeps, burn_in):
    for keep in (0, 1, 2, 3, 19, 20, 50):
        settings = Settings(sweeps=sweeps, seed=0, keep=keep, burn_in=burn_in)
        assert len(settings.kept) == min(keep, sweeps - settings.burnt_in)
        assert all(settings.burnt_in < sweep <= sweeps for sweep in settings.kept)
        assert not settings.kept or max(settings.kept) == sweeps


def files(path):
    return sorted(int(file.stem.removeprefix("sample-")) for file in path.glob("sample-*"))


@pytest.mark.parametrize(
    ("burn_in", "first", "then"),
    [(None, [7, 8, 10], [13, 17, 20]), (4, [6, 8, 10], [6, 8, 10, 15, 20])],
)
def test_a_longer_run_lets_go_of_states_from_its_burn_in(tmp_path, burn_in, first, then):
    """Half of 20 sweeps are burnt in, unless a number was given; of that number those that are there stay."""
    options = {"seed": 1, "keep": 3, "burn_in": burn_in, "sampler": Sampler(moves=False), "threads": 1}
    fit(GRAPHS["lda"], corpus_of("lda"), 10, save_to=tmp_path / "run", **options)
    assert files(tmp_path / "run") == sorted(load(tmp_path / "run").run.samples) == first
    longer = resume(tmp_path / "run", 20)
    assert files(tmp_path / "run") == sorted(longer.run.samples) == sorted(load(tmp_path / "run").run.samples) == then
    whole = fit(GRAPHS["lda"], corpus_of("lda"), 20, **options)
    for sweep in set(then) & set(whole.run.samples):
        assert longer.run.samples[sweep].log_joint == whole.run.samples[sweep].log_joint


@pytest.mark.nojit
def test_estimates_are_of_kept_states_by_default():
    result = fit(GRAPHS["lda"], corpus_of("lda"), 4, threads=1)
    assert sorted(result.run.samples) == [3, 4] and result.draws == result.samples
    last = fit(GRAPHS["lda"], corpus_of("lda"), 4, keep=0, threads=1)
    assert last.samples == [] and last.draws == [last]
