"""Baselines as graphs: hashtags merged into words are the model of one stream; links stand without text."""

import numpy as np
import pytest

from pitmanyor import Corpus, GraphError, fit, models
from pitmanyor.baselines import merged, network_alone


def test_merged_streams_are_one_bag_of_words():
    words, tags = [["a", "b", "b"], ["c"], ["a"]], [["b"], [], ["d", "a"]]
    apart = Corpus.from_tokens({"word": words, "hashtag": tags})
    poured = Corpus.from_tokens([w + t for w, t in zip(words, tags, strict=True)])
    one = models.lda(1, concentration=2.0)  # with one topic there is no chance in it
    left, right = fit(merged(one), apart, sweeps=1, seed=1), fit(one, poured, sweeps=1, seed=1)
    assert apart.vocabulary == poured.vocabulary
    assert np.allclose(left.mean("phi"), right.mean("phi"), atol=1e-12)
    assert left.log_joint == pytest.approx(right.log_joint)


def test_merged_takes_one_stream():
    with pytest.raises(GraphError, match="'hashtag', 'word'"):
        merged(models.tntm())


def test_the_network_by_itself_has_no_text():
    graph = network_alone()
    assert not graph.streams and [links.name for links in graph.link_sets] == ["follows"]
    assert graph["nu"] == models.tntm()["nu"]
