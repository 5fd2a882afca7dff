"""R-hat and effective sample sizes against their definitions, topics matched against all assignments, verdicts."""

import itertools
import math
import re
import sys
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from pitmanyor import Corpus, Gamma, Graph, PlanError, fit, models, simulate
from pitmanyor.evaluate import convergence, diagnose, match_topics, matching, stability, topic_numbers, topic_shares
from pitmanyor.evaluate.convergence import Quantity, kept_traces
from pitmanyor.evaluate.diagnosis import _model, _of_agreement, _of_concentrations, _of_numbers, _of_size, _of_topics
from pitmanyor.evaluate.matching import similarities
from pitmanyor.sampling.joining import finite


@pytest.fixture(scope="module")
def corpus():
    words = [["bread", "butter", "oven", "cheese"], ["goal", "match", "team", "ball"], ["tax", "vote", "law", "poll"]]
    rng = np.random.default_rng(0)
    return Corpus.from_tokens([rng.choice(words[d % 3], 12).tolist() for d in range(60)])


@pytest.fixture(scope="module")
def chains(corpus):
    graph = models.lda(3).set("*", concentration=1.0)
    return [fit(graph, corpus, sweeps=400, seed=1, chain=chain) for chain in range(4)]


@pytest.fixture(scope="module")
def short(corpus):
    """Chains that have begun in different places and are nowhere near the end, of a model with births."""
    return [fit(models.hpyp(), corpus, sweeps=16, seed=1, initial_topics=topics, chain=topics) for topics in (1, 40)]


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
    assert "n_topics" not in found  # it never moves
    assert 4 < found["log_joint"].ess < 4 * 800


def test_effective_sample_sizes_are_those_of_arviz_over_all_chains(chains, short):
    stats = import_module("arviz_stats.base").array_stats
    for fits, names in ((chains[:1], {"log_joint"}), (chains, {"log_joint"}), (short, {"n_topics", "tables/theta"})):
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


def test_the_number_of_topics(short):
    found = topic_numbers(short)
    values = np.concatenate([one.trace["n_topics"][8:] for one in short])
    assert found == {int(n): np.mean(values == n) for n in np.unique(values)}
    assert sum(found.values()) == pytest.approx(1.0)


def test_topics_are_matched_as_the_best_of_all_assignments(chains):
    one, other = chains[:2]
    phi, psi = one.mean("phi"), other.mean("phi")
    overlap = [[sum(min(a, b) for a, b in zip(x, y, strict=True)) for y in psi] for x in phi]
    assert similarities(phi, psi) == pytest.approx(np.array(overlap), abs=1e-12)
    best = max(itertools.permutations(range(3)), key=lambda p: sum(overlap[k][p[k]] for k in range(3)))
    found = match_topics(one, other)
    assert [(i, j) for i, j, _ in found.pairs] == [(k, best[k]) for k in range(3)]
    weights = [(topic_shares(one)[k] + topic_shares(other)[best[k]]) / 2 for k in range(3)]
    assert found.score == pytest.approx(sum(w * overlap[k][best[k]] for k, w in enumerate(weights)), abs=1e-12)


@pytest.mark.parametrize(
    ("overlap", "partners"),
    [
        ([[0.9, 0.8, 0.0], [0.8, 0.1, 0.0], [0.0, 0.0, 0.5]], [1, 0, 2]),  # the best pair of all is in no best matching
        ([[0.9, 0.0, 0.4], [0.8, 0.1, 0.0], [0.7, 0.0, 0.5]], [0, 1, 2]),  # all would have the same partner
    ],
)
def test_no_topic_has_two_partners_and_the_sum_is_the_largest(chains, monkeypatch, overlap, partners):
    monkeypatch.setattr(matching, "similarities", lambda one, other: np.array(overlap))
    found = match_topics(*chains[:2])
    assert found.pairs == [(k, partners[k], overlap[k][partners[k]]) for k in range(3)]
    one, other = (topic_shares(chain) for chain in chains[:2])
    score = sum((one[i] + other[j]) / 2 * similarity for i, j, similarity in found.pairs)
    assert found.score == pytest.approx(score, abs=1e-12)


def test_a_fit_matches_itself_and_spare_topics_have_no_partner(chains, short):
    assert match_topics(chains[0], chains[0]).score == pytest.approx(1.0)
    assert len(match_topics(*short).pairs) == min(one.n_topics for one in short)
    pairs = [match_topics(a, b).score for a, b in itertools.combinations(chains, 2)]
    assert stability(chains) == pytest.approx(np.mean(pairs))


def test_chains_that_agree_are_trusted(chains):
    found = diagnose(chains)
    assert found.verdict == "trust", str(found)
    assert found.stability > 0.9 and found.n_topics == {3: 1.0}
    assert str(found).startswith("Trust it: the chains agree")
    assert "There were 3 topics in every sweep." in str(found)


def test_chains_that_do_not_are_not(short):
    found = diagnose(short, discard=0.0)
    assert found.verdict == "no"
    assert "Do not trust it yet." in str(found) and "in the chains (R-hat" in str(found)


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
        (_of_agreement([quantity(), quantity(rhat=1.1, name="n_topics")], 2), "care", "n_topics is not quite the same"),
        (_of_agreement([quantity(rhat=math.inf)], 1), "no", "log_joint is not the same in the parts of the chain"),
        (_of_agreement([quantity(rhat=math.nan), quantity()], 2), "no", "log_joint is not the same"),
        (_of_agreement([], 2), "no", "Nothing moved"),
        (_of_size([quantity()]), "trust", "The sweeps are worth 500 independent draws of log_joint."),
        (_of_size([quantity(ess=30.0)]), "care", "where 100 would do: sweep longer"),
        (_of_size([quantity(ess=3.0)]), "no", "worth 3 independent draws"),
        (_of_concentrations([quantity(), quantity(rhat=1.3, name="b")])[0], "care", "as estimates yet: b."),
        (_of_concentrations([quantity(ess=3.0, name="b")])[0], "care", "not to be read as estimates yet: b."),
        (_of_topics(0.9)[0], "trust", "found the same topics (stability 0.90 of 1)"),
        (_of_topics(0.5)[0], "care", "alike in part"),
        (_of_topics(0.1)[0], "no", "read none of them as a fact"),
        (_of_numbers({4: 0.02, 5: 0.5, 6: 0.4, 7: 0.08}, False), "trust", "5 to 7 with 90 % probability, 5 the"),
        (_of_numbers({5: 1.0}, False), "trust", "There were 5 topics in every sweep"),
        (_of_numbers({4: 0.5, 7: 0.5}, True), "trust", "4 to 7 topics have a token in the states that were kept"),
        (_of_numbers({5: 1.0}, True), "trust", "5 topics have a token in the states that were kept"),
    ],
)  # fmt: skip
def test_what_is_said_of_numbers(finding, verdict, sentence):
    assert finding.verdict == verdict and sentence in finding.sentence


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
        ([chains[0], chains[0]], "two of these chains are one and the same"),
        ([chains[0], short[0]], "of different models"),
        ([chains[0], fit(models.lda(3), corpus.subset(range(30)), sweeps=20, seed=1)], "of different corpora"),
        ([], "no chain to look at"),
        ([fit(models.lda(3), corpus, sweeps=9, seed=1)], "too few sweeps to judge: every chain needs 8 or more"),
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
    with pytest.raises(PlanError, match="discard is the share of sweeps to leave out"):
        diagnose(chains, discard=1.0)
    with pytest.raises(PlanError, match="give two or more, of different seeds"):
        stability(chains[:1])
    other = simulate(models.lda(3), documents=20, tokens=8, vocabulary=5, seed=1).corpus
    with pytest.raises(PlanError, match="different vocabularies"):
        match_topics(chains[0], fit(models.lda(3), other, sweeps=1, seed=1))


@pytest.mark.parametrize(("module", "call"), [("arviz_stats.base", convergence), ("scipy.optimize", stability)])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(chains, monkeypatch, module, call):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(PlanError, match=re.escape("pip install 'pitmanyor[diagnose]'")):
        call(chains)
