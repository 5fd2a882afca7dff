import numpy as np

from pitmanyor import Corpus, Graph, models
from pitmanyor.graph import mix
from pitmanyor.plan import compile_plan
from pitmanyor.plan.distinct_words import distinct_words_plan, topics_of_all


def _corpus() -> Corpus:
    return Corpus.from_tokens(
        {
            "word": [["b", "a", "b", "b"], [], ["c", "a", "c"]],
            "hashtag": [["x"], ["x", "y", "x"], []],
        },
        groups={"author": ["ann", "bob", "ann"]},
    )


def test_only_words_of_a_documents_own_need_it() -> None:
    corpus = _corpus()
    text_only = models.tntm().without("follows")
    assert distinct_words_plan(compile_plan(models.hpyp(), corpus)) is None
    assert distinct_words_plan(compile_plan(text_only, corpus)) is None
    assert distinct_words_plan(compile_plan(models.bursty(text_only), corpus)) is not None


def test_every_word_comes_once_in_a_document_and_no_node_is_left_that_is_its_own() -> None:
    plan = compile_plan(models.bursty(models.tntm().without("follows")), _corpus())
    distinct = distinct_words_plan(plan)
    assert distinct is not None
    assert distinct.graph == models.tntm().without("follows")
    words = distinct.corpus.streams["word"]
    found = [[distinct.corpus.vocabulary[w] for w in row] for row in np.split(words.words, words.offsets[1:-1])]
    assert [sorted(row) for row in found] == [["a", "b"], [], ["a", "c"]]
    assert list(np.diff(distinct.corpus.streams["hashtag"].offsets)) == [1, 2, 0]


def test_all_tokens_of_a_word_in_a_document_get_its_topic() -> None:
    plan = compile_plan(models.bursty(models.tntm().without("follows")), _corpus())
    distinct = distinct_words_plan(plan)
    assert distinct is not None
    topics = np.arange(distinct.n_tokens, dtype=np.int32)
    all_topics = topics_of_all(plan, distinct, topics)
    place = {}
    order, other = plan.order, distinct.order
    for i in range(distinct.n_tokens):
        place[other.document[i], other.stream[i], other.word[i]] = topics[i]
    expected = [place[order.document[i], order.stream[i], order.word[i]] for i in range(plan.n_tokens)]
    assert all_topics.tolist() == expected


def test_a_graph_whose_own_words_mix_several_nodes_is_searched_as_it_is() -> None:
    g = Graph()
    mu = g.gem("mu")
    theta = g.pyp("theta", base=mu, plate="document")
    gamma = g.dirichlet("gamma", over="vocabulary")
    phi = g.pyp("phi", base=gamma, plate="topic")
    own = g.pyp("own", base=mix(phi, gamma), plate=("document", "topic"))
    g.tokens("word", topic=theta, emit=own)
    assert distinct_words_plan(compile_plan(g, Corpus.from_tokens([["a", "b", "a"]]))) is None
