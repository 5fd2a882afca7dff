"""Small runs to be shown: a simulated microblog, plain tokens, and one whose texts are hostile."""

import json

import pytest

from pitmanyor import Corpus, Sampler, fit, load, models, read, simulate_microblog
from pitmanyor.evaluate import Diagnosis
from pitmanyor.report import build_payload

HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<!--<script>",
    "a\u202eevil\u202c b\u2067c\x00d\ud800",
    "=cmd|' /C calc'!A0",
    "javascript:alert(1) https://evil.example/x.png",
)
SWEEPS = 40


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A directory with the posts of a microblog and a run of them: times, hashtags, authors, links, samples."""
    home = tmp_path_factory.mktemp("report")
    posts, follows = simulate_microblog(posts=240, authors=10, seed=3).write(home)
    corpus = read(str(posts), links=str(follows), min_df=2)
    options = {"sweeps": SWEEPS, "seed": 1, "sampler": Sampler(moves=False)}
    fit(models.tntm().without("follows"), corpus, save_to=home / "run", **options)
    return home


@pytest.fixture(scope="session")
def blog(home):
    return load(home / "run")


@pytest.fixture(scope="session")
def payload(blog):
    """With intervals, as if forty sweeps were enough for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Diagnosis, "disagrees", False)
        return build_payload(blog)


@pytest.fixture(scope="session")
def plain():
    """Tokens and nothing else."""
    documents = [["goal", "match", "goal", "team"], ["bread", "oven", "bread", "butter"]] * 15
    return fit(models.lda(2), Corpus.from_tokens(documents), sweeps=20, seed=2)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Texts, authors and hashtags that would like to be more than text."""
    home = tmp_path_factory.mktemp("hostile")
    rows = [
        {
            "text": f"{HOSTILE[i % len(HOSTILE)]} bread oven #<b>{i % 3}",
            "user": HOSTILE[(i + 1) % len(HOSTILE)],
            "hashtags": [HOSTILE[i % 3], "bread"],
        }
        for i in range(30)
    ]
    (home / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read(home / "posts.jsonl", stop_words=None, tokeniser="whitespace")
    graph = models.tntm().without("follows")
    return fit(graph, corpus, sweeps=4, seed=1)
