"""The simulated microblog: says that it is one, is the same for the same seed, and has the structure it promises."""

import re

import numpy as np
import pytest

from pitmanyor import read, simulate_microblog
from pitmanyor.errors import CorpusError, FileError
from pitmanyor.simulation.themes import EVERYWHERE, HASHTAGS, THEMES


@pytest.fixture(scope="module")
def blog():
    return simulate_microblog(posts=3000, authors=60, seed=3)


def test_every_record_says_that_it_is_simulated(blog):
    assert {record["source"] for record in blog.records} == {"simulated by pitmanyor"}
    assert len({record["id"] for record in blog.records}) == len(blog.records) == 3000
    assert {record["author"] for record in blog.records} == set(blog.interests)


def test_the_same_seed_gives_the_same_posts(blog):
    again, other = (simulate_microblog(posts=3000, authors=60, seed=seed) for seed in (3, 4))
    assert (again.records, again.links) == (blog.records, blog.links)
    assert other.records != blog.records


def test_it_reads_back_with_the_paper_s_lengths(blog):
    corpus = read(blog.records, links=blog.links, stop_words=None)
    said = corpus.describe().as_dict()
    assert said["words per document"] == pytest.approx(6.35 * (0.95 + 0.35), rel=0.05)  # glue included
    assert said["hashtags per document"] == pytest.approx(1.34, rel=0.05)
    assert corpus.groups["label"].codes.max() == 5


def test_words_follow_the_theme_and_links_the_interests(blog):
    words = {theme: set(text.split()) for theme, text in THEMES.items()}
    own = [len(set(re.findall(r"\w+", r["text"])) & words[r["label"]]) for r in blog.records]
    other = [
        np.mean([len(set(re.findall(r"\w+", r["text"])) & words[theme]) for theme in words if theme != r["label"]])
        for r in blog.records
    ]
    assert np.mean(own) > 8 * np.mean(other)
    names = list(blog.interests)
    unit = np.array([v / np.linalg.norm(v) for v in blog.interests.values()])
    alike = unit @ unit.T
    linked = np.zeros_like(alike, bool)
    for a, b in blog.links:
        linked[names.index(a), names.index(b)] = True
    assert not linked.diagonal().any()
    assert alike[linked].mean() > alike[~linked & ~np.eye(60, dtype=bool)].mean() + 0.2


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_files_read_as_the_records_do(tmp_path, kind):
    blog = simulate_microblog(posts=200, authors=8, seed=1)
    posts, follows = blog.write(tmp_path / "new", kind)
    assert "simulated" in posts.name and "simulated" in follows.name
    assert read(posts, links=follows).content_hash == read(blog.records, links=blog.links).content_hash


def test_lists_of_words_are_of_one_length_and_without_repetition():
    for lists in (THEMES, HASHTAGS):
        assert len({len(text.split()) for text in lists.values()}) == 1
    for text in [*THEMES.values(), *HASHTAGS.values(), EVERYWHERE]:
        assert len(set(text.split())) == len(text.split())


def test_sizes_and_formats_are_checked(tmp_path):
    with pytest.raises(CorpusError, match="both must be at least 1"):
        simulate_microblog(posts=0)
    with pytest.raises(CorpusError, match="choose 'jsonl' or 'csv'"):
        simulate_microblog(posts=1, authors=1).write(tmp_path, "xml")
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="not a directory that can be written to"):
        simulate_microblog(posts=1, authors=1).write(tmp_path / "file")
