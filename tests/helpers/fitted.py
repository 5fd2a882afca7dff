"""Fits that the tests of insight, export and figures look at: a small simulated microblog, and two plain topics."""

import pytest

from pitmanyor import Corpus, Network, Start, fit, load, models, read, simulate_microblog


@pytest.fixture(scope="session")
def microblog():
    return simulate_microblog(posts=400, authors=12, seed=3)


@pytest.fixture(scope="session")
def blog(microblog, tmp_path_factory):
    """A run of the text: hashtags, authors, times, links that no model uses, and twenty samples."""
    home = tmp_path_factory.mktemp("blog")
    posts, follows = microblog.write(home)
    corpus = read(str(posts), links=str(follows), min_df=2, groups=["label"])
    graph = models.tntm().without("follows")
    fit(graph, corpus, sweeps=60, seed=1, start=Start(topics=0), keep=20, save_to=home / "run")
    return load(home / "run")


@pytest.fixture(scope="session")
def plain():
    """Two topics of words alone, and never a word of both: no tags, authors, times or run."""
    documents = [["goal", "match", "goal", "team"], ["bread", "oven", "bread", "butter"]] * 15 + [["goal"], ["bread"]]
    corpus = Corpus.from_tokens(documents, groups={"half": [d % 4 < 2 for d in range(len(documents))]})
    return fit(models.lda(2), corpus, sweeps=40, seed=2, keep=0)


@pytest.fixture
def named(blog, tmp_path):
    """The same run at a place of its own, to be named."""
    blog.save(tmp_path / "run")
    return load(tmp_path / "run")


@pytest.fixture(scope="session")
def joined(blog):
    """Text and network together."""
    return fit(models.tntm(), blog.corpus, sweeps=8, network=Network(text_sweeps=4), seed=1)
