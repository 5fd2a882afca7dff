"""The rows of the tables: the paper's edits of the TNTM, and n/a where a corpus lacks something."""

from dataclasses import replace

import numpy as np
import pytest

from pitmanyor import Corpus, CorpusError, models, read
from pitmanyor.corpus import Grouping
from pitmanyor.experiments.rows import ABLATIONS, NEED_HASHTAGS, rows_of
from pitmanyor.experiments.settings import KINDS, Settings
from pitmanyor.reading.build import UNKNOWN


def posts(authors=True, links=True, times=True, tags=True):
    groups = {"label": ["x", "y", "x"]} | ({"author": ["ann", "bob", "ann"]} if authors else {})
    made = Corpus.from_tokens(
        {"word": [["a"], ["b"], ["a"]]} | ({"hashtag": [["t"], [], []]} if tags else {}),
        groups=groups,
        links={"follows": [("ann", "bob")]} if links else None,
    )
    return replace(made, times=np.array(["2026-01-01"] * 3, "datetime64[ms]") if times else None)


def rows(kind, corpus, **more):
    return {row.key: row for row in rows_of(Settings(kind, **more), corpus)}


def test_ablations_are_the_papers_one_line_edits():
    full, found = models.tntm(), rows("ablation", posts())
    assert found["no_author"].graph == full.rebase("eta", "mu0")
    assert found["no_hashtag"].graph == full.without("theta_tag")
    assert found["no_mu1"].graph == full.rebase("theta_tag", "eta")
    assert found["no_connection"].graph == full.rebase("theta", "eta")
    assert found["no_power_law"].graph == full.set("*", discount=0)
    assert list(found) == [*ABLATIONS, "full"] and found["full"].graph == full


def test_sensitivity_changes_one_thing_at_a_time():
    found = rows("sensitivity", posts())
    default = found["default"].graph
    assert len(found) == 1 + 4 * 3 + 3
    assert len({row.graph for row in found.values()}) == len(found)
    (links,) = found["noise_10"].graph.link_sets
    assert links == replace(default.link_sets[0], noise=10.0) and found["noise_10"].graph.nodes == default.nodes
    assert (
        found["lambda_0.1"].graph["theta"].mix_prior == (0.1, 0.1) == found["lambda_0.1"].graph["theta_tag"].mix_prior
    )
    discounts = {node.name: node.discount for node in found["discount_0.3"].graph.nodes}
    assert {name for name, value in discounts.items() if value == 0.3} == {
        "mu0",
        "mu1",
        "nu",
        "eta",
        "theta_tag",
        "theta",
    }
    assert discounts["psi"] == default["psi"].discount


def test_single_stream_baselines_get_the_hashtags_as_words():
    for row in (rows("fit", posts())["atm"], rows("clustering", posts())["lda20_hour"]):
        assert [(s.name, s.topic, s.emit) for s in row.graph.streams] == [
            ("hashtag", "theta", "phi"),
            ("word", "theta", "phi"),
        ]


def test_clusters_are_at_most_twenty_and_have_no_network():
    found = rows("clustering", posts())
    assert {row.max_topics for key, row in found.items() if not key.startswith("lda")} == {20}
    assert not found["tntm"].graph.link_sets and len(found) == 13
    fewer = rows("clustering", posts(), max_topics=7)
    assert {row.max_topics for row in fewer.values()} == {7}


def test_what_a_corpus_lacks_is_not_run_but_named():
    bare = posts(authors=False, links=False, times=False)
    found = rows("fit", bare)
    assert found["tntm"].graph == models.tntm().rebase("eta", "mu0") and "no author" in found["tntm"].title
    assert {key: row.missing for key, row in found.items() if row.missing} == {
        "atm": "no authors",
        "random_function": "no authors",
    }
    lacks = {key: row.missing for key, row in rows("clustering", bare).items() if row.missing and "20" not in key}
    assert lacks == {
        "lda10_author": "no authors",
        "lda10_hour": "no times",
        "lda10_burst": "no times",
        "atm": "no authors",
    }
    assert rows("clustering", posts())["lda10_burst"].missing == "no pools"
    assert rows("ablation", bare)["no_author"].missing == "no authors"
    assert rows("ablation", posts(links=False))["no_network"].missing == "no links"
    assert rows("sensitivity", posts(links=False))["length_0.01"].missing == "no links"


def test_without_hashtags_everything_that_needs_none_is_run():
    bare = posts(tags=False)
    found = rows("fit", bare)
    assert found["tntm"].graph == models.tntm().without("theta_tag") and found["tntm"].title == "TNTM, no hashtag"
    assert found["hdp_lda"].graph == models.hdp_lda() and not any(row.missing for row in found.values())
    lacks = {key for key, row in rows("ablation", bare).items() if row.missing == "no hashtags"}
    assert lacks == {"no_hashtag", "no_mu1", "no_connection"}
    assert rows("sensitivity", bare)["lambda_10"].missing == "no hashtags"
    clusters = rows("clustering", bare)
    assert clusters["lda10_hashtag"].missing == "no hashtags"
    assert clusters["tntm"].title == "TNTM, no hashtag, no network"
    for kind in ("fit", "ablation", "clustering", "sensitivity"):
        for row in rows(kind, bare).values():
            row.graph.validate()


def test_discounts_are_told():
    found = rows("fit", posts())
    assert (found["hdp_lda"].discounts, found["tntm"].discounts) == ("topics 0, words 0", "topics 0, words 0.5")
    assert found["random_function"].discounts == "topics 0"


def test_hashtags_and_labels_are_asked_for():
    with pytest.raises(CorpusError, match="hashtags"):
        rows("labels", Corpus.from_tokens([["a"]]))
    with pytest.raises(CorpusError, match="posts with words, but this corpus has no words"):
        rows("fit", Corpus.from_tokens({"hashtag": [["a"]]}))
    unlabelled = replace(posts(), groups={"label": Grouping((UNKNOWN,), np.zeros(3, np.int32))})
    for corpus in (replace(posts(), groups={}), unlabelled):
        with pytest.raises(CorpusError, match="--label"):
            rows("clustering", corpus)
    assert all(rows(kind, posts()) for kind in KINDS)


@pytest.mark.parametrize("tags", [{}, {"hashtags": ["", ""]}])
def test_posts_that_are_read_without_a_hashtag_have_none(tags):
    corpus = read(
        {"text": ["fresh bread", "goal again"], "user": ["ann", "bob"]} | tags, tags=bool(tags) and "hashtags"
    )
    assert "hashtag" in corpus.streams
    found = rows("fit", corpus)
    assert found["tntm"].title == "TNTM, no hashtag, no network"
    assert [stream.name for stream in found["hdp_lda"].graph.streams] == ["word"]
    assert {rows("ablation", corpus)[key].missing for key in NEED_HASHTAGS} == {"no hashtags"}
    with pytest.raises(CorpusError, match="no hashtags; name their column with --tags"):
        rows("labels", corpus)


def test_posts_without_words_are_refused():
    with pytest.raises(CorpusError, match="no words; name the column of the text"):
        rows("fit", read(["#bread", "#goal"]))
