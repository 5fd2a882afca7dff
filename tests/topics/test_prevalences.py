"""Shares of topics, by groups and over time, and their intervals."""

from dataclasses import replace

import numpy as np
import pytest

from pitmanyor import Corpus, PlanError, fit, models, prevalence, topics_over_time
from pitmanyor.topics.align import aligned_topics
from pitmanyor.topics.counts import Pairs
from pitmanyor.topics.prevalences import _among_documents, _between, _periods, enough


def test_shares_are_those_of_the_tokens(plain):
    found = prevalence(plain, by="half")
    topics, stream = plain.token_topics(), plain.corpus.streams["word"]
    assert found.interval == "documents" and set(found.groups) == {True, False}
    for g, group in enumerate(found.groups):
        here = np.isin(stream.documents, [d for d in range(32) if (d % 4 < 2) == group])
        assert found.shares[g] == pytest.approx(np.bincount(topics[here], minlength=2) / here.sum())
        assert found.n_tokens[g] == here.sum() and found.n_documents[g] == 16
    assert (found.low <= found.shares).all() and (found.shares <= found.high).all()
    assert len(found.rows()) == 4 and found.rows()[0]["share"] == found.shares[0, 0]
    assert prevalence(plain).shares.sum() == pytest.approx(1.0)


def test_intervals_of_samples_hold_the_mean_of_aligned_samples(blog):
    found = prevalence(blog)
    assert found.interval == "samples"
    draws = [np.bincount(topics, minlength=blog.n_topics) / len(topics) for topics in aligned_topics(blog)]
    assert len(draws) == 20
    assert found.shares[0] == pytest.approx(np.mean(draws, axis=0))
    assert (found.low <= found.high).all()
    narrow = prevalence(blog, level=0.5)
    assert (narrow.high - narrow.low <= found.high - found.low + 1e-12).all()


@pytest.mark.parametrize("n", [enough(0.9), 20, 40, 200])
def test_intervals_of_samples_cover(n):
    """One more draw is between the ends nine times of ten, however few there are."""
    draws = np.random.default_rng(n).gamma(2.0, size=(n + 1, 20_000))
    low, high = _between(draws[:-1], 0.9)
    assert ((low <= draws[-1]) & (draws[-1] <= high)).mean() == pytest.approx(0.9, abs=0.01)


def test_too_few_samples_for_a_level_make_no_interval(blog):
    assert [enough(level) for level in (0.5, 0.8, 0.9, 0.95, 0.99)] == [3, 9, 19, 39, 199]
    assert prevalence(blog, level=0.9).interval == "samples"
    assert prevalence(blog, level=0.95).interval == "documents"  # it kept 20


def test_samples_are_aligned_by_their_tokens(blog):
    """A sample agrees with the last state on most tokens, whatever its topics are numbered."""
    last = blog.state.text.topic
    for topics in aligned_topics(blog):
        assert (topics == last).mean() > 0.5
    assert all(sample.n_topics for sample in blog.samples)


def test_intervals_among_documents_cover():
    """Documents of one topic each, drawn 400 times: nine intervals of ten hold the share they were drawn with."""
    rng = np.random.default_rng(1)
    n_documents, length, share, inside = 60, 8, 0.2, 0
    for _ in range(400):
        topic = (rng.random(n_documents) < share).astype(np.int64)
        pairs = Pairs(np.arange(n_documents), topic, np.full(n_documents, length))
        codes, total = np.zeros(n_documents, np.int64), np.array([n_documents * length])
        shares = np.array([[1 - topic.mean(), topic.mean()]])
        low, high = _among_documents(pairs, codes, shares, total, 0.9)
        inside += low[0, 1] <= share <= high[0, 1]
    assert 0.86 <= inside / 400 <= 0.94


def test_over_time_has_every_period_from_first_to_last(blog):
    weeks = topics_over_time(blog, every="week")
    times = blog.corpus.times
    assert all(np.datetime64(start).astype("datetime64[D]").item().weekday() == 0 for start in weeks.groups)
    assert np.diff(np.array(weeks.groups, "datetime64[D]")).astype(int).tolist() == [7] * (len(weeks.groups) - 1)
    assert weeks.n_documents.sum() == len(times) and weeks.n_tokens.sum() == blog.corpus.n_tokens
    first = times < np.datetime64(weeks.groups[1])
    assert weeks.n_documents[0] == first.sum()
    assert weeks.shares[weeks.n_tokens > 0].sum(axis=1) == pytest.approx(1.0)
    assert topics_over_time(blog).by == "week"  # ninety days are more than sixty
    assert topics_over_time(blog, every="month").groups == ["2026-01", "2026-02", "2026-03", "2026-04"]


def test_documents_without_a_time_are_left_out_and_empty_periods_are_nan():
    corpus = Corpus.from_tokens([["a"], ["b"], ["a", "b"], ["a"]])
    times = np.array(["2020-01-01T05", "NaT", "2020-01-03T23", "2020-01-03T01"], "datetime64[ms]")
    result = fit(models.lda(2), replace(corpus, times=times), sweeps=2, seed=1)
    found = topics_over_time(result, every="day")
    assert found.groups == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert found.n_documents.tolist() == [1, 0, 2] and found.n_tokens.tolist() == [1, 0, 3]
    assert np.isnan(found.shares[1]).all() and np.isnan(found.low[1]).all()
    assert found.shares[[0, 2]].sum(axis=1) == pytest.approx(1.0)


def test_weeks_begin_on_mondays():
    times = np.array(["2023-12-31", "2024-01-01", "2024-01-07", "2024-01-08", "NaT"], "datetime64[ms]")
    codes, starts = _periods(times, "week")
    assert codes.tolist() == [0, 1, 1, 2, -1]
    assert starts.astype(str).tolist() == ["2023-12-25", "2024-01-01", "2024-01-08"]


def test_what_is_not_there_is_told(plain):
    for wrong, message in (
        (lambda: prevalence(plain, by="author"), "no column 'author' to group by; it has 'half'"),
        (lambda: topics_over_time(plain), "the corpus has no times"),
        (lambda: prevalence(plain, level=90), "between 0 and 1"),
    ):
        with pytest.raises(PlanError, match=message):
            wrong()


def test_a_period_that_is_none(blog):
    with pytest.raises(PlanError, match="every must be one of hour, day"):
        topics_over_time(blog, every="century")
