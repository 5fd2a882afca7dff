"""The scikit-learn estimator: its contract, pipelines, grid searches, metadata, and corpora as they are."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from pitmanyor import EvidenceWarning, PlanError, models, read
from pitmanyor.results.content_keyed import infer_by_content
from pitmanyor.sklearn import TopicModel

SPORT = ["goal", "match", "team", "league", "coach", "player", "season", "striker"]
FOOD = ["bread", "oven", "flour", "butter", "yeast", "dough", "crust", "loaf"]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(SPORT if i % 2 else FOOD, 12)) for i in range(60)]


@pytest.fixture(scope="module")
def counts(texts):
    return CountVectorizer().fit_transform(texts)


@pytest.mark.parametrize("estimator", [TopicModel(sweeps=10), TopicModel(n_components=3, sweeps=10, keep=2)])
@pytest.mark.filterwarnings("ignore")
def test_the_contract_of_estimators(estimator):
    failed = [one for one in check_estimator(estimator, on_fail=None) if one["status"] not in ("passed", "skipped")]
    assert failed == []


def test_a_pipeline_after_a_count_vectorizer(texts):
    made = make_pipeline(CountVectorizer(), TopicModel(n_components=2, sweeps=60, random_state=1))
    shares = made.fit_transform(texts)
    assert shares.shape == (60, 2) and shares.sum(axis=1) == pytest.approx(1.0)
    main = shares.argmax(axis=1)
    assert len(set(main[::2])) == len(set(main[1::2])) == 1 and main[0] != main[1]
    assert made.get_feature_names_out().tolist() == ["topicmodel0", "topicmodel1"]
    model, words = made[-1], made[0].get_feature_names_out()
    assert model.components_.sum(axis=1) == pytest.approx(1.0)
    assert set(words[np.argsort(-model.components_[main[0]])[:8]]) == set(FOOD)
    assert made.transform(["goal match goal", "fresh bread"]).argmax(axis=1).tolist() == [main[1], main[0]]


def test_a_grid_search_takes_the_lowest_perplexity(texts):
    made = make_pipeline(CountVectorizer(), TopicModel(sweeps=60, random_state=1))
    search = GridSearchCV(made, {"topicmodel__n_components": [1, 2]}, cv=3).fit(texts)
    assert search.best_params_ == {"topicmodel__n_components": 2}
    one, two = search.cv_results_["mean_test_score"]
    assert one < two < 0  # minus the perplexity: 16 words in all, 8 of each topic
    assert -two == pytest.approx(8, rel=0.2) and -one == pytest.approx(16, rel=0.2)
    assert search.score(texts) == -search.best_estimator_[-1].perplexity(search.best_estimator_[0].transform(texts))


def test_equal_documents_have_equal_proportions_in_any_batch(counts, monkeypatch):
    model = TopicModel(n_components=2, sweeps=10, random_state=1).fit(counts)
    whole = model.transform(counts)
    assert np.array_equal(whole[::-1], model.transform(counts[::-1]))
    assert np.array_equal(whole[7:8], model.transform(counts[7:8]))
    assert np.array_equal(*model.transform(sparse.vstack([counts[3], counts[3]])))
    monkeypatch.setattr("pitmanyor.results.content_keyed.PLACES", 8)  # so that many documents share a place
    few = infer_by_content(model.fit_, sparse.csr_array(counts))
    assert np.array_equal(few[5:6], infer_by_content(model.fit_, sparse.csr_array(counts[5:6])))
    empty = model.transform(np.zeros((2, counts.shape[1]), int))
    assert empty.shape == (2, 2) and empty.sum(axis=1) == pytest.approx(1.0)


def test_the_number_of_topics_is_inferred_or_bounded(counts):
    assert TopicModel(sweeps=30, random_state=1).fit(counts).n_topics_ >= 2
    assert TopicModel(sweeps=10, max_topics=2, random_state=1).fit(counts).n_topics_ <= 2
    own = TopicModel(model=models.hdp_lda(), sweeps=10, random_state=1).fit(counts)
    assert own.fit_.graph == models.hdp_lda()


def test_seeds_and_copies(counts):
    model = TopicModel(n_components=3, sweeps=10, random_state=4)
    first, again = model.fit(counts).transform(counts), clone(model).fit(counts).transform(counts)
    assert np.array_equal(first, again)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.transform(counts), first) and copy.fit_.home is None
    assert b"pitmanyor.results" not in pickle.dumps(model)  # files of a run, and no objects of the package's own
    assert not np.array_equal(clone(model).set_params(random_state=5).fit(counts).transform(counts), first)


def test_authors_are_metadata(counts):
    authors = ["ann", "bob"] * 30
    model = TopicModel(sweeps=10, random_state=1).fit(counts, authors=authors)
    assert model.fit_.corpus.groups["author"].labels == ("ann", "bob") and model.fit_.graph == models.author_topic()
    with pytest.raises(ValueError, match="authors must be one label for each of the 60 rows, not 2"):
        model.fit(counts, authors=["ann", "bob"])
    with config_context(enable_metadata_routing=True):
        made = make_pipeline(TopicModel(sweeps=10, random_state=1).set_fit_request(authors=True))
        made.fit(counts, authors=authors)
        assert made[-1].fit_.corpus.groups["author"].labels == ("ann", "bob")


def test_a_corpus_is_fitted_as_it_is_and_never_sliced():
    rows = [
        {"text": f"{'goal match' if i % 2 else 'bread oven'} #tag{i % 2}", "author": "ab"[i % 2]} for i in range(40)
    ]
    corpus = read(rows, links=[("a", "b")], duplicates="keep", stop_words=None)
    model = TopicModel(model=models.tntm(), sweeps=8, random_state=1).fit(corpus)
    assert model.transform(corpus).shape == (40, model.n_topics_) and model.fit_.state.network
    assert model.score(corpus) == -model.perplexity(corpus) < 0
    with pytest.raises(TypeError):
        GridSearchCV(TopicModel(), {"sweeps": [1, 2]}, cv=2).fit(corpus)


def test_weights_are_rounded_and_said_and_negative_values_refused(counts):
    with pytest.warns(EvidenceWarning, match="values that are not whole were rounded"):
        TopicModel(n_components=2, sweeps=2).fit(counts * 1.2)
    with pytest.raises(ValueError, match="Negative values in data passed to TopicModel"):
        TopicModel(n_components=2, sweeps=2).fit(-counts.toarray())
    with pytest.raises(ValueError, match="X has 3 features, but TopicModel is expecting 16 features"):
        TopicModel(n_components=2, sweeps=2).fit(counts).transform(np.ones((1, 3), int))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n_components": models.lda(2)}, "n_components is a number of topics; pass a graph of your own as model="),
        ({"n_components": "two"}, "n_components must be a whole number or None, not 'two'"),
        ({"model": "lda"}, "model must be a Graph such as .* or None, not the text 'lda'"),
    ],
)
def test_a_model_in_the_place_of_a_number_is_told_where_to_go(given, said):
    with pytest.raises(PlanError, match=said):
        TopicModel(**given).fit(np.ones((4, 3), int))
