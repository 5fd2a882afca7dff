"""Hashtags for drafts, and authors to follow."""

import numpy as np
import pytest

from pitmanyor import CorpusError, Graph, PlanError, fit, models, read, recommend_authors, recommend_tags, uniform
from pitmanyor.fold_in import Way, infer
from pitmanyor.simulation.themes import HASHTAGS, THEMES
from pitmanyor.topics import author_shares, similar, tag_probabilities
from pitmanyor.topics.drafts import as_corpus

SPORT = "goal team league season coach player match"


@pytest.mark.parametrize(("theme", "draft"), [("music", "album song guitar band concert"), ("sport", SPORT)])
def test_a_draft_gets_tags_of_its_theme(blog, theme, draft):
    known = {*HASHTAGS[theme].split(), *THEMES[theme].split()}
    found = recommend_tags(blog, f"The {draft} of the day!", n=3)
    assert found[0].label in known and sum(tag.label in known for tag in found) >= 2
    assert found[0].score >= found[1].score >= found[2].score > 0
    assert recommend_tags(blog, draft.split(), n=3) == recommend_tags(blog, draft, n=3)


def test_tags_that_a_draft_has_are_left_out_and_count(blog):
    first = recommend_tags(blog, SPORT, n=1)[0].label
    assert first not in [tag.label for tag in recommend_tags(blog, f"{SPORT} #{first}", n=50)]


def test_the_score_is_the_probability_of_the_next_tag_averaged_over_samples(blog):
    draft = as_corpus(blog, [SPORT, "album song"])
    tags, probability = tag_probabilities(blog, draft, by="model")
    assert probability.shape == (2, len(tags)) and (probability.sum(axis=1) <= 1.0).all()
    expected = np.zeros(2)
    for sample in blog.samples:
        theta = infer(sample, draft, Way("gibbs", None, 0, None), "theta_tag").shares
        psi, words = sample.topic_words("hashtag"), sample.words_of("hashtag")
        expected += theta @ psi[:, words.index(tags[5])] / len(blog.samples)
    assert probability[:, 5] == pytest.approx(expected)


def test_the_author_of_a_draft_counts(blog):
    word = "today"  # of no theme
    by_author = {who: recommend_tags(blog, word, author=who, n=1)[0].label for who in author_shares(blog)[0]}
    assert len(set(by_author.values())) > 1


def test_authors_to_follow_are_like_one_and_not_followed_yet(blog):
    who = next(label for label, *_ in blog.corpus.links["follows"].pairs)
    followed = {target for source, target in blog.corpus.links["follows"].pairs if source == who}
    found = recommend_authors(blog, who, n=99)
    assert followed and not {near.label for near in found} & {*followed, who}
    scores = {near.label: near.score for near in similar(blog, author=who, n=99)}
    assert {near.label: near.score for near in found} == {
        label: scores[label] for label in scores if label not in followed
    }


def test_somebody_new_is_told_from_a_few_posts(blog, microblog):
    """Posts about sport lead to the authors who like it."""
    found = recommend_authors(blog, posts=[SPORT, "striker keeper penalty"], n=12)
    sport = microblog.themes.index("sport")
    liking = [microblog.interests[near.label][sport] for near in found]
    assert np.corrcoef(liking, [near.score for near in found])[0, 1] > 0.5
    tokens = recommend_authors(blog, posts=[SPORT.split(), ["striker", "keeper", "penalty"]], n=12)
    assert tokens == found


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: recommend_authors(fit), "give either author="),
        (lambda fit: recommend_authors(fit, "ann", posts=["x"]), "give either author="),
        (lambda fit: recommend_authors(fit, "nobody"), "no author 'nobody'"),
        (lambda fit: recommend_authors(fit, posts="one text"), "a list of texts"),
        (lambda fit: recommend_authors(fit, posts=["text", ["tokens"]]), "all of one kind"),
        (lambda fit: recommend_authors(fit, fit.corpus.groups["author"].labels[0], links="likes"), "no links 'likes'"),
        (lambda fit: recommend_tags(fit, "xyzzy plugh"), "no token of these documents is in the vocabulary"),
        (lambda fit: recommend_tags(fit, SPORT, n=0), "1 or more"),
        (lambda fit: recommend_tags(fit, SPORT, author="nobody"), "no author 'nobody'"),
        (lambda fit: fit.infer(as_corpus(fit, [SPORT]), node="nu"), "theta_tag or theta, not 'nu'"),
    ],
)
def test_what_cannot_be_suggested_is_told(blog, call, message):
    with pytest.raises(PlanError, match=message):
        call(blog)


def test_a_model_without_hashtags_has_none_to_suggest(plain):
    with pytest.raises(PlanError, match="no stream of hashtags"):
        recommend_tags(plain, ["goal"])


def test_drafts_are_not_read_by_another_tokeniser():
    """A function is not kept with the corpus, so a text cannot be read as the posts were; its tokens can be given."""
    corpus = read(["a-b c-d", "a-b a-b"], tokeniser=str.split, stop_words=None)
    result = fit(models.lda(2), corpus, sweeps=1, seed=1)
    with pytest.raises(CorpusError, match="read by a tokeniser function"):
        as_corpus(result, ["a-b"])
    assert as_corpus(result, [["a-b"]]).vocabulary == ("a-b",)


def test_tags_of_an_authors_own(blog):
    """A node of tags for every author and topic: drafts of a known author take its rows, others the topic's."""
    g = Graph()
    nu = g.pyp("nu", base=g.gem("mu"), plate="author")
    theta = g.pyp("theta", base=nu, plate="document")
    psi = g.pyp("psi", base=uniform("vocabulary"), plate="topic")
    shared = g.pyp("psi_tag", base=uniform("hashtag"), plate="topic")
    g.tokens("hashtag", topic=theta, emit=g.pyp("psi_own", base=shared, plate=("author", "topic")))
    g.tokens("word", topic=theta, emit=psi)
    result = fit(g, blog.corpus, sweeps=5, seed=1, keep=0)
    who = blog.corpus.groups["author"].labels[2]
    rows, words = result.axes("psi_own")["author x topic"], result.axes("psi_own")["word"]
    for author in (who, "nobody"):
        draft = as_corpus(result, [SPORT], author)
        tags, probability = tag_probabilities(result, draft, by="model")
        theta = result.infer(draft, node="theta").shares[0]
        psi = result.mean("psi_tag")
        if author == who:
            psi = result.mean("psi_own")[[rows.index((who, k)) for k in range(result.n_topics)]]
        assert probability[0] == pytest.approx((theta @ psi)[[words.index(tag) for tag in tags]])
