"""R-hat and effective sample sizes against their definitions, topics matched against all assignments, verdicts."""

import math
import sys
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from pitmanyor import Corpus, Gamma, Graph, PlanError, Sampler, Start, fit, models
from pitmanyor.evaluate import convergence, diagnose
from pitmanyor.evaluate.convergence import Quantity, kept_traces
from pitmanyor.evaluate.diagnosis import _model, _of_agreement, _of_size, _of_topics, _of_vague
from pitmanyor.evaluate.matching import Stability
from pitmanyor.sampling.joining import finite


@pytest.fixture(scope="module")
def corpus():
    words = [["bread", "butter", "oven", "cheese"], ["goal", "match", "team", "ball"], ["tax", "vote", "law", "poll"]]
    rng = np.random.default_rng(0)
    return Corpus.from_tokens([rng.choice(words[d % 3], 12).tolist() for d in range(60)])


@pytest.fixture(scope="module")
def chains(corpus):
    graph = models.lda(3).set("*", concentration=1.0)
    return [fit(graph, corpus, sweeps=400, seed=1, start=Start(chain=chain)) for chain in range(4)]


@pytest.fixture(scope="module")
def short(corpus):
    """Chains that have begun in different places and are nowhere near the end, of a model with births."""
    far_apart = {"sweeps": 16, "seed": 1, "sampler": Sampler(moves=False)}
    return [fit(models.hpyp(), corpus, start=Start(topics=topics, chain=topics), **far_apart) for topics in (1, 40)]


def split_rhat(values):
    """Vehtari et al. (2021): split R-hat of ranks, and of ranks of distances from the median; the larger."""

    def of(x):
        n = x.shape[1] // 2
        halves = np.concatenate([x[:, :n], x[:, -n:]])
        z = norm.ppf((rankdata(halves) - 0.375) / (halves.size + 0.25)).reshape(halves.shape)
        within = z.var(axis=1, ddof=1).mean()
        return math.sqrt((n - 1) / n + z.mean(axis=1).var(ddof=1) / within)

    n = values.shape[1] // 2
    halves = np.concatenate([values[:, :n], values[:, -n:]])
    return max(of(values), of(np.abs(values - np.median(halves))))


def test_rhat_by_its_definition(chains):
    found = {one.name: one for one in convergence(chains)}
    values = np.array([chain.trace["log_joint"][200:] for chain in chains])
    assert found["log_joint"].rhat == pytest.approx(split_rhat(values), abs=1e-9)
    assert found["log_joint"].mean == pytest.approx(values.mean())
    assert "topics/large" not in found  # it never moves
    assert 4 < found["log_joint"].ess < 4 * 800


def test_effective_sample_sizes_are_those_of_arviz_over_all_chains(chains, short):
    stats = import_module("arviz_stats.base").array_stats
    for fits, names in (
        (chains[:1], {"log_joint"}),
        (chains, {"log_joint"}),
        (short, {"topics/large", "tables/theta"}),
    ):
        found = convergence(fits)
        assert names <= {one.name for one in found}
        for one in found:
            values = np.array([fit.trace[one.name][fit.n_sweeps // 2 :] for fit in fits])
            assert one.ess == pytest.approx(float(stats.ess(values, method="bulk")), rel=1e-9)


def test_a_single_chain_is_judged_by_its_halves(chains):
    values = chains[0].trace["log_joint"][200:].reshape(2, 100)
    found = {one.name: one.rhat for one in convergence(chains[:1])}
    assert found["log_joint"] == pytest.approx(split_rhat(values), abs=1e-9)


def test_chains_are_cut_to_the_same_length_and_nothing_before_the_network_counts():
    def trace(n, joined):
        links = np.where(np.arange(n) < joined, math.nan, np.arange(n))
        return {"log_joint": np.arange(float(n)), "network/log_likelihood/follows": links, "customers/nu": links}

    kept = kept_traces([trace(40, 22), trace(20, 2)], 0.5)
    assert set(kept) == {"log_joint", "network/log_likelihood/follows"}
    for values in kept.values():
        assert values.tolist() == [list(range(31, 40)), list(range(11, 20))]  # half of the sweeps since they joined
    with pytest.raises(PlanError, match="if it has links, after they joined"):
        kept_traces([trace(40, 30)], 0.5)


def test_chains_that_agree_are_trusted(chains):
    found = diagnose(chains)
    assert found.verdict == "trust", str(found)
    assert found.stability.share == 1.0 and found.stability.found == [4, 4, 4]
    assert (found.topic_count.n_large, found.topic_count.probability) == (3, {3: 1.0})
    assert str(found).startswith("Trust it: the chains agree") and found.summary.startswith(
        "Trust it: the chains agree"
    )
    assert "- The fit has 3 topics.\n" in str(found) and found.advice.sweeps is None
    assert "The chains found the same topics: 3 of 3 large topics" in found.summary


def test_chains_that_do_not_are_not(short):
    found = diagnose(short, discard=0.0)
    assert found.verdict == "no"
    assert "Do not trust it yet." in str(found) and "The chains disagree on the" in str(found)


def test_one_chain_is_never_trusted_blindly(chains):
    found = diagnose(chains[:1])
    assert found.verdict == "care" and found.stability is None
    assert "One chain cannot tell whether another would have found other topics" in str(found)


def quantity(**values):
    return Quantity(**({"name": "log_joint", "mean": 0.0, "sd": 1.0, "rhat": 1.0, "ess": 500.0} | values))


@pytest.mark.parametrize(
    ("finding", "verdict", "sentence"),
    [
        (_of_agreement([quantity(rhat=1.01)], 2), "trust", "agree between the chains (R-hat at most 1.010)."),
        (_of_agreement([quantity(), quantity(rhat=1.1, name="topics/large")], 2), "care", "nearly agree on the number"),
        (_of_agreement([quantity(rhat=math.inf)], 1), "no", "The parts of the chain disagree on the log joint"),
        (_of_agreement([quantity(rhat=math.nan), quantity()], 2), "no", "disagree on the log joint"),
        (_of_agreement([], 2), "no", "Nothing moved"),
        (_of_size([quantity()]), "trust", "The sweeps are worth 500 independent draws of the log joint."),
        (_of_size([quantity(ess=30.0)]), "care", "100 or more are good"),
        (_of_size([quantity(ess=3.0)]), "no", "worth 3 independent draws"),
        (_of_vague([quantity(), quantity(rhat=1.3, name="b")])[0], "care", "interpret these yet: b."),
        (_of_vague([quantity(ess=3.0, name="b")])[0], "care", "do not interpret these yet: b."),
    ],
)  # fmt: skip
def test_what_is_said_of_numbers(finding, verdict, sentence):
    assert finding.verdict == verdict and sentence in finding.sentence


@pytest.mark.parametrize(
    ("found", "share", "verdict", "sentence"),
    [
        ([4, 4, 4], 0.9, "trust", "3 of 3 large topics; topics found by all 4 chains hold 90 % of the tokens."),
        ([4, 4, 1], 0.6, "care", "The chains agree on 2 of 3 large topics, which can be trusted"),
        ([4, 2, 1], 0.3, "no", "The chains found different topics: only 1 of 3 large ones is in all of them"),
    ],
)  # fmt: skip
def test_what_is_said_of_topics(chains, found, share, verdict, sentence):
    (said,) = _of_topics(chains[0], Stability(4, found, share))
    assert said.verdict == verdict and sentence in said.sentence
    assert _of_topics(chains[0], None) == []


def test_links_and_mixes_are_part_of_a_model():
    """Not how many topics a network has fixed, for that is the chain's own."""
    graph = models.tntm()
    (links,) = graph.link_sets

    def model(one, network):
        plan = SimpleNamespace(graph=one)
        return _model(SimpleNamespace(state=SimpleNamespace(plan=plan, network=network)))

    other_links = Graph.from_parts(graph.nodes, graph.streams, [replace(links, noise=2.0)])
    for other in (other_links, graph.set("theta*", mix_prior=3.0)):
        assert model(graph, {}) == model(graph.copy(), {}) != model(other, {})
    joined = {"follows": np.zeros(1)}
    assert model(finite(graph, 5), joined) == model(finite(graph, 9), joined) != model(finite(other_links, 9), joined)


def test_what_cannot_be_compared_is_refused(chains, short, corpus):
    for fits, message in (
        ([chains[0], chains[0]], "two of these chains are the same"),
        ([chains[0], short[0]], "of different models"),
        ([chains[0], fit(models.lda(3), corpus.subset(range(30)), sweeps=20, seed=1)], "of different corpora"),
        ([], "no chain is given"),
    ):
        with pytest.raises(PlanError, match=message):
            diagnose(fits)
    for edit in (
        lambda g: g.set("theta", concentration=2.0),
        lambda g: g.set("phi", concentration=Gamma(1.0, 1.0)),
        lambda g: models.lda(4).set("*", concentration=1.0),
    ):
        other = fit(edit(models.lda(3).set("*", concentration=1.0)), corpus, sweeps=20, seed=2)
        with pytest.raises(PlanError, match="of different models"):
            diagnose([chains[0], other])
    with pytest.raises(PlanError, match="discard must be the share of sweeps to leave out"):
        diagnose(chains, discard=1.0)


def test_too_few_sweeps_are_no_ground_for_trust(corpus):
    one = fit(models.lda(3), corpus, sweeps=9, seed=1)
    with pytest.raises(PlanError, match="too few sweeps to judge: every chain needs 8 or more"):
        convergence([one])
    found = diagnose([one])
    assert found.verdict == "no" and found.quantities == []
    assert found.summary.startswith("Do not trust it yet. Too few sweeps to judge")
    assert found.advice.sweeps == 9 + 50 and diagnose([fit(models.lda(3), corpus, sweeps=0, seed=1)]).verdict == "no"


def test_nothing_but_this_package_is_needed(chains, monkeypatch):
    for module in ("arviz_stats", "arviz_stats.base", "scipy", "scipy.optimize"):
        monkeypatch.setitem(sys.modules, module, None)
    assert diagnose(chains).verdict == "trust"


def test_the_burn_in_of_the_fit_is_what_is_discarded():
    corpus = Corpus.from_tokens([["goal", "match", "team"], ["bread", "oven", "flour"]] * 10)
    early = fit(models.hpyp(), corpus, sweeps=40, seed=1, burn_in=10)
    assert early.burnt_share == 0.25
    assert early.diagnose() == early.diagnose(discard=0.25) != early.diagnose(discard=0.5)
    assert early.convergence() == early.convergence(discard=0.25) != early.convergence(discard=0.5)
    assert early.topic_count() == early.topic_count(discard=0.25)
    plain = fit(models.hpyp(), corpus, sweeps=40, seed=1)
    assert plain.burnt_share == 0.5 and plain.convergence() == early.convergence(discard=0.5)
