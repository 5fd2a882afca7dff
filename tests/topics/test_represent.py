"""Documents that show a topic, and what is like what."""

import numpy as np
import pytest

from pitmanyor import PlanError, representative, similar
from pitmanyor.topics import author_shares


def test_documents_of_a_topic_show_it(plain):
    topics, documents = plain.token_topics(), plain.corpus.streams["word"].documents
    for k in range(2):
        found = representative(plain, k, n=10)
        assert len(found) == 10
        assert all((topics[documents == d] == k).all() for d in found)
        assert not {30, 31} & set(found)  # one word shows less than four do


def test_fewer_documents_than_asked_for(plain):
    assert set(representative(plain, 0, n=1000)) == {
        int(d) for d in np.unique(plain.corpus.streams["word"].documents[plain.token_topics() == 0])
    }
    with pytest.raises(PlanError, match="1 or more"):
        representative(plain, 0, n=0)
    with pytest.raises(PlanError, match="there is no topic 2"):
        representative(plain, 2)


def test_the_order_is_that_of_the_score(blog):
    """Recomputed document by document, as the docstring says it."""
    corpus, topic = blog.corpus, int(np.bincount(blog.token_topics()).argmax())
    score = np.zeros(corpus.n_documents)
    lengths = sum(corpus.streams[stream].lengths for stream in ("word", "hashtag"))
    for stream in ("word", "hashtag"):
        phi, words = blog.topic_words(stream), blog.words_of(stream)
        topics, tokens = blog.token_topics(stream), corpus.streams[stream]
        weight = np.bincount(topics, minlength=blog.n_topics)
        for d, w, k in zip(tokens.documents, tokens.words, topics, strict=True):
            if k == topic:
                column = words.index(corpus.vocabulary[w])
                score[d] += weight[k] * phi[k, column] / (weight @ phi[:, column])
    score /= lengths + lengths.mean()
    found = representative(blog, topic, n=20)
    assert score[found] == pytest.approx(np.sort(score)[::-1][:20])


def test_posts_that_show_a_topic_have_one_theme(blog):
    label = blog.corpus.groups["label"]
    counts = np.bincount(blog.state.text.topic, minlength=blog.n_topics)
    themes = set()
    for k in np.argsort(-counts)[:4]:
        codes = [int(label.codes[d]) for d in representative(blog, int(k), n=5)]
        assert max(map(codes.count, codes)) >= 4
        themes |= set(codes)
    assert len(themes) >= 3


def test_similar_documents_share_topics(plain):
    found = similar(plain, document=0, n=14)
    assert all(near.label % 2 == 0 for near in found) and 0 not in [near.label for near in found]
    assert [near.score for near in found] == sorted((near.score for near in found), reverse=True)
    assert 0.99 < found[0].score <= 1.0 + 1e-12


def test_similar_authors_like_the_same_themes(blog, microblog):
    """Affinities of the fitted topics of authors follow those of the interests they were drawn with."""
    who = list(microblog.interests)
    found = {near.label: near.score for near in similar(blog, author=who[0], n=50)}
    assert who[0] not in found and set(found) == set(who[1:])
    truth = {other: np.sqrt(microblog.interests[who[0]] * microblog.interests[other]).sum() for other in found}
    assert np.corrcoef([found[other] for other in found], [truth[other] for other in found])[0, 1] > 0.5


def test_authors_of_a_model_without_authors_are_the_mean_of_their_documents(plain):
    labels, shares = author_shares(plain, by="half")
    assert shares.sum(axis=1) == pytest.approx(1.0)
    own = plain.document_shares()[[d % 4 < 2 for d in range(32)]].mean(axis=0)
    assert shares[labels.index(True)] == pytest.approx(own)


def test_similar_topics(blog):
    found = similar(blog, topic=0, n=3)
    phi = blog.topic_words()
    assert found[0].score == pytest.approx(float(np.sqrt(phi[0] * phi[found[0].label]).sum()))


def test_token_topics_are_in_the_order_of_the_corpus(blog):
    """Recounted by document and word, they give the counts that the state has."""
    for stream in ("word", "hashtag"):
        node = blog.stream(stream).emit
        words = blog.corpus.streams[stream].words
        table = np.zeros((blog.n_topics, len(blog.corpus.vocabulary)), int)
        np.add.at(table, (blog.token_topics(stream), words), 1)
        from pitmanyor.state.means import counts_of

        assert (counts_of(blog.state, node).customers == table).all()


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({}, "exactly one of document=, author= and topic="),
        ({"document": 0, "topic": 1}, "exactly one of document=, author= and topic="),
        ({"document": 9999}, "no document 9999"),
        ({"author": "nobody"}, "no author 'nobody' in this fit"),
        ({"topic": 0, "n": 0}, "1 or more"),
    ],
)
def test_what_cannot_be_compared_is_told(blog, what, message):
    with pytest.raises(PlanError, match=message):
        similar(blog, **what)
