"""Who is near an author of the graph, and why: rows of the page and what is shown of them."""

import pytest

from pitmanyor import Network, fit, models
from pitmanyor.report import build_payload


@pytest.fixture(scope="module")
def joined(blog):
    return fit(models.tntm(), blog.corpus, sweeps=6, seed=1, keep=2, network=Network(text_sweeps=3))


@pytest.fixture(scope="module")
def told(joined):
    return build_payload(joined)


def test_rows_say_what_the_fit_says(joined, told):
    network, names = told["network"], told["authors"]["names"]
    who = [names[a] for a, _, _ in network["nodes"]]
    follows = set(joined.corpus.links["follows"].pairs)
    near = network["near"]
    assert near["parts"] == ["words", "links", "popularity", "answer"] and len(near["of"]) == len(who)
    for i, rows in near["of"].items():
        labels = [who[row[0]] for row in rows]
        assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)
        for label, (_, linked, chance, *parts), reason in zip(
            labels, rows, joined.link_reasons(who[i], labels), strict=True
        ):
            assert linked == ((who[i], label) in follows) and label != who[i]
            assert chance == pytest.approx(1000 * reason.probability, abs=0.6)
            said = [reason.words, reason.links, reason.popularity, reason.answer]
            assert parts == pytest.approx([10 * part for part in said], abs=0.6)


def test_suggestions_are_those_of_recommend_authors(joined, told):
    network, names = told["network"], told["authors"]["names"]
    who = [names[a] for a, _, _ in network["nodes"]]
    for i, rows in network["near"]["of"].items():
        best = [one.label for one in joined.recommend_authors(who[i], n=99) if one.label in who]
        suggested = [who[row[0]] for row in rows if not row[1]]
        assert suggested == best[: len(suggested)]


def test_without_a_network_nothing_is_said(payload):
    assert payload["network"]["near"] is None
