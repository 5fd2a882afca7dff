"""Several chains as one fit: every chain has the bytes that it has alone; saved, loaded and resumed as one."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from pitmanyor import Corpus, FileError, Fit, PlanError, Sampler, Start, fit, load, models, resume, simulate
from pitmanyor.evaluate.matching import aligned
from pitmanyor.evaluate.stacking import held_out_densities, stacking_weights
from pitmanyor.runs.directory import find_runs
from pitmanyor.topics import prevalence, rename, view
from saving import assert_same

OPTIONS = {"seed": 3, "keep": 2}
THEMES = [[f"{theme}{w}" for w in range(6)] for theme in "abc"]


@pytest.fixture(scope="module")
def corpus():
    return simulate(models.hpyp(), documents=60, tokens=12, groups={"author": 3}, vocabulary=20, seed=1).corpus


@pytest.fixture(scope="module")
def home(corpus, tmp_path_factory):
    """Four chains with checkpoints, stopped early in the sense that they can go on."""
    home = tmp_path_factory.mktemp("chains") / "run"
    fit(models.hpyp(), corpus, sweeps=20, chains=4, save_to=home, **OPTIONS)
    return home


@pytest.fixture(scope="module")
def alone(corpus):
    """The same chains, each by itself and in this process; to the sweeps that the others are resumed to."""
    return {
        (chain, sweeps): fit(models.hpyp(), corpus, sweeps=sweeps, start=Start(chain=chain), **OPTIONS)
        for chain in range(4)
        for sweeps in (20, 31)
    }


def test_every_chain_is_what_it_is_alone(home, alone):
    whole = load(home)
    assert len(whole.chains) == 4 and whole.home == home
    for chain, one in enumerate(whole.chains):
        assert one.run.settings.chain == chain
        assert_same(one, alone[chain, 20])
    assert whole.state is whole.run.chain.state and whole.run in whole.runs


def test_threads_and_company_change_nothing():
    """A corpus whose sweeps are mixed, on two threads alone and on one beside another chain."""
    corpus = simulate(models.hpyp(), documents=300, tokens=70, vocabulary=50, seed=1).corpus
    whole = fit(models.hpyp(), corpus, sweeps=3, seed=1, chains=2, threads=1)
    assert corpus.n_tokens > 20_000
    assert_same(whole.chains[1], fit(models.hpyp(), corpus, sweeps=3, seed=1, start=Start(chain=1), threads=2))


def test_a_fit_without_a_directory_is_the_same_and_leaves_none(home, corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    whole = fit(models.hpyp(), corpus, sweeps=20, chains=2, start=Start(chain=1), threads=1, **OPTIONS)
    assert whole.home is None and list(tmp_path.iterdir()) == []
    for one, other in zip(whole.chains, load(home).chains[1:3], strict=True):
        assert_same(one, other)


def test_saved_and_loaded_it_is_the_same(home, tmp_path):
    whole = load(home)
    whole.save(tmp_path / "copy")
    assert [run.name for run in find_runs(tmp_path / "copy")] == [f"chain-{chain}" for chain in range(4)]
    again = load(tmp_path / "copy")
    assert_same(whole, again)
    for one, other in zip(whole.chains, again.chains, strict=True):
        assert_same(one, other)
    assert_same(load(home / "chain-2"), whole.chains[2])
    assert again.state.plan.corpus is again.chains[3].state.plan.corpus  # read once


def test_resumed_it_is_as_if_it_had_never_stopped(home, alone, tmp_path):
    load(home).save(tmp_path / "run")
    whole = resume(tmp_path / "run", 31)
    assert whole.n_sweeps == 31 and whole.home == tmp_path / "run"
    for chain, one in enumerate(whole.chains):
        for name, values in one.trace.items():
            assert values.tobytes() == alone[chain, 31].trace[name].tobytes(), name
        assert one.state.text.topic.tobytes() == alone[chain, 31].state.text.topic.tobytes()
    with pytest.raises(PlanError, match="chain-0 has 31 sweeps already: ask for as many or more, not 30"):
        resume(tmp_path / "run", 30)


def test_one_object_speaks_for_all_chains(home):
    whole = load(home)
    assert whole.diagnose().n_chains == 4 and whole.stability().n_chains == 4
    numbers = np.concatenate([chain.trace["topics/large"][10:] for chain in whole.chains])
    assert whole.topic_count().probability == {int(n): np.mean(numbers == n) for n in np.unique(numbers)}
    assert repr(whole).startswith(f"Fit({whole.topic_count()}; 4 chains of 20 sweeps of 720 tokens in ")
    assert len(whole.samples) == len(whole.draws) == 8
    assert whole.diagnose().quantities == whole.chains[0].diagnose(*whole.chains[1:]).quantities
    assert prevalence(whole, level=0.5).interval == "samples"  # eight of all chains, and two of each
    assert whole.chains[0].chains == [whole.chains[0]]


def test_names_are_kept_with_all_chains(home, tmp_path):
    load(home).save(tmp_path / "run")
    rename(load(tmp_path / "run"), {0: "health"})
    assert view(load(tmp_path / "run")).names[0] == "health" and (tmp_path / "run" / "names.json").exists()
    load(tmp_path / "run").save(tmp_path / "copy")
    assert view(load(tmp_path / "copy")).names[0] == "health"


def test_a_run_that_lacks_a_chain_state_says_which(home, tmp_path):
    load(home).save(tmp_path / "run")
    (tmp_path / "run" / "chain-2" / "state.safetensors").unlink()
    with pytest.raises(FileError, match="chain-2: this run was stopped before its first checkpoint"):
        load(tmp_path / "run")
    again = resume(tmp_path / "run")  # that chain from its start, the others are done
    for one, other in zip(again.chains, load(home).chains, strict=True):
        assert one.state.text.topic.tobytes() == other.state.text.topic.tobytes()


def test_what_makes_no_sense_is_refused(corpus, tmp_path, home):
    with pytest.raises(PlanError, match="chains must be a whole number, 1 or more, not 0"):
        fit(models.hpyp(), corpus, sweeps=2, seed=1, chains=0)
    with pytest.raises(PlanError, match="save_every must be a number of seconds"):
        fit(models.hpyp(), corpus, sweeps=2, seed=1, chains=2, save_every=-1)
    with pytest.raises(FileError, match="already exists"):
        fit(models.hpyp(), corpus, sweeps=2, seed=1, chains=2, save_to=home)
    with pytest.raises(PlanError, match=r"chain-\d: threads must be between 1 and"):
        fit(models.hpyp(), corpus, sweeps=2, seed=1, chains=2, threads=1000)


def test_ctrl_c_ends_all_chains_and_returns_what_there_is(corpus, tmp_path):
    home = tmp_path / "run"

    def interrupt():
        while not all((home / f"chain-{chain}" / "state.safetensors").exists() for chain in range(2)):
            time.sleep(0.05)
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    whole = fit(models.hpyp(), corpus, sweeps=10**7, seed=1, chains=2, save_to=home)
    assert all(0 < chain.n_sweeps < 10**7 for chain in whole.chains)
    done = max(chain.n_sweeps for chain in whole.chains)
    assert [chain.n_sweeps for chain in resume(home, done + 3).chains] == [done + 3] * 2


def planted():
    rng = np.random.default_rng(0)
    return Corpus.from_tokens([rng.choice(THEMES[d % 3], 12).tolist() for d in range(90)])


@pytest.fixture(scope="module")
def settled():
    """Three chains that agree."""
    graph = models.lda(3).set("*", concentration=1.0)
    return Fit([fit(graph, planted(), sweeps=400, seed=1, keep=2, start=Start(chain=chain)).run for chain in range(3)])


def test_chains_that_agree_have_equal_weights(settled):
    assert settled.weights.tolist() == [1 / 3] * 3
    given = planted().subset(range(6))
    each = [chain.perplexity(given, seed=2) for chain in settled.chains]
    whole = settled.perplexity(given, seed=2)
    assert whole.n_states == 6 and whole.total <= max(one.total for one in each) * (1 + 1e-12)
    tokens = [chain.token_probabilities(given, given) for chain in settled.chains]
    assert settled.token_probabilities(given, given) == pytest.approx(np.mean(tokens, axis=0))


def test_shares_are_averaged_in_the_topics_that_are_shown(settled):
    given = planted().subset(range(9))
    total = np.zeros((9, 3))
    for chain in settled.chains:
        shares, place = chain.infer(given, seed=5).shares, aligned(settled, chain)
        for topic in range(3):
            total[:, place[topic]] += shares[:, topic] / 3
    found = settled.infer(given, seed=5)
    assert found.shares == pytest.approx(total) and found.shares.sum(axis=1) == pytest.approx(1.0)
    themes = found.shares.argmax(axis=1)
    assert len(set(themes[:3].tolist())) == 3 and (themes == np.tile(themes[:3], 3)).all()


def test_chains_that_disagree_are_weighed_by_stacking(settled):
    """One chain that has only just begun, and cannot predict."""
    graph, corpus = models.hdp_lda(), planted()
    good = [fit(graph, corpus, sweeps=60, seed=1, start=Start(chain=chain, topics=6)) for chain in range(2)]
    poor = fit(graph, corpus, sweeps=60, seed=1, start=Start(chain=2, topics=1), max_topics=1)
    whole = Fit([poor.run, *(one.run for one in good)])
    exact = stacking_weights(held_out_densities(whole.chains, graph, whole.run.settings))
    assert whole.weights.tolist() == exact.tolist() and whole.weights[0] == 0.0
    assert whole.run is not poor.run  # the shown one is among those that agree
    drawn = [weight / 20 for weight in whole.weights if weight for _ in range(20)]
    assert [weight for _, weight in whole.weighted_draws] == drawn
    given = corpus.subset(range(6))
    assert whole.perplexity(given).total < poor.perplexity(given).total


def test_a_saved_run_keeps_the_weights_until_it_goes_on(home, tmp_path, monkeypatch):
    load(home).save(tmp_path / "run")
    weights = np.array([0.5, 0.25, 0.25, 0.0])
    for wanted in (False, True):  # that the chains agree
        monkeypatch.setattr("pitmanyor.results.fitted.chains_agree", lambda chains, shared, wanted=wanted: wanted)
        monkeypatch.setattr("pitmanyor.results.fitted.stacking_weights", lambda densities: weights)
        assert load(tmp_path / "run").weights.tolist() == ([0.25] * 4 if wanted else weights.tolist())
    monkeypatch.setattr("pitmanyor.results.fitted.chains_agree", lambda chains, shared: False)
    monkeypatch.setattr("pitmanyor.results.fitted.stacking_weights", lambda densities: weights[::-1])
    assert load(tmp_path / "run").weights.tolist() == weights.tolist()
    assert resume(tmp_path / "run", 22).weights.tolist() == weights[::-1].tolist()
    (tmp_path / "run" / "weights.json").write_text('{"format": "pitmanyor weights 1", "chains": []}')
    assert load(tmp_path / "run").weights.tolist() == weights[::-1].tolist()  # damaged: computed again


def test_weights_enter_every_prediction(home, corpus):
    whole = Fit([chain.run for chain in (load(home / f"chain-{i}") for i in range(3))])
    for run in whole.runs:
        run.samples.clear()  # the last states are the draws
    whole.__dict__["weights"] = np.array([0.7, 0.0, 0.3])  # as stacking might have it
    given = corpus.subset(range(4))
    tokens = [chain.token_probabilities(given, given) for chain in whole.chains]
    assert tokens[0] != pytest.approx(tokens[2])
    assert whole.token_probabilities(given, given) == pytest.approx(0.7 * tokens[0] + 0.3 * tokens[2])
    logs = [chain.left_to_right(given.subset([0]), sweeps=9).log_likelihood["word"] for chain in whole.chains]
    exact = np.logaddexp(np.log(0.7) + logs[0], np.log(0.3) + logs[2])
    assert whole.left_to_right(given.subset([0]), sweeps=9).log_likelihood["word"] == pytest.approx(exact)
    shares = []
    for chain in whole.chains:
        own, place = chain.infer(given).shares, aligned(whole, chain)
        shares.append(np.stack([own[:, place == topic].sum(axis=1) for topic in range(whole.n_topics)], axis=1))
    assert whole.infer(given).shares == pytest.approx(0.7 * shares[0] + 0.3 * shares[2])


def test_a_trace_of_an_older_version_goes_on(tmp_path):
    """Columns that it did not have are not numbers for its sweeps, and those are not judged."""
    corpus = simulate(models.hpyp(), documents=60, tokens=12, groups={"author": 3}, vocabulary=20, seed=5).corpus
    old = fit(models.hpyp(), corpus, sweeps=6, seed=1, start=Start(4), sampler=Sampler(moves=False))
    for name in ("topics/large", "topics/effective"):
        del old.chain.trace[name]
    old.save(tmp_path / "run")
    new = resume(tmp_path / "run", 40)
    assert np.isnan(new.trace["topics/large"][:6]).all() and np.isfinite(new.trace["topics/large"][6:]).all()
    assert len(load(tmp_path / "run").trace["topics/effective"]) == 40
    names = [one.name for one in new.diagnose().quantities]
    assert "topics/effective" in names and new.diagnose(discard=0.0).topic_count.probability
