"""A topic model as a scikit-learn transformer: after a CountVectorizer, in a Pipeline, in a grid search.

    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from pitmanyor.sklearn import TopicModel

    proportions = make_pipeline(CountVectorizer(), TopicModel(n_components=20, random_state=1)).fit_transform(texts)

It needs scikit-learn: pip install 'pitmanyor[sklearn]'.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from pitmanyor import models
from pitmanyor.call_checks import callers_level
from pitmanyor.corpus import Corpus
from pitmanyor.errors import EvidenceWarning
from pitmanyor.graph import Graph
from pitmanyor.results.content_keyed import corpus_of_counts, infer_by_content
from pitmanyor.results.fitting import Fit, fit, load

Floats = NDArray[np.float64]
RUN = "fit_"


class TopicModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Topic proportions of documents, from counts of words, as a scikit-learn transformer.

    X is a matrix of counts, or a `Corpus`, which brings hashtags, groups and links with it. A corpus is fitted as a
    whole; cross-validation cannot slice one, because part of a network is another network. Authors of the rows of a
    matrix are metadata: `TopicModel().set_fit_request(authors=True)`.

    Parameters
    ----------
    n_components
        Number of topics; by default it is inferred.
    model
        A Graph of your own, instead of `models.lda(n_components)`, `models.hpyp()` or, with authors,
        `models.author_topic()`.
    sweeps
        Number of Gibbs sweeps.
    keep
        Number of states to keep for predictions.
    burn_in
        Number of sweeps that are discarded before states are kept; by default half of them.
    max_topics
        Upper bound if the number of topics is inferred.
    random_state
        Random seed.
    n_jobs
        Number of threads; by default all cores. Results do not depend on it.

    Attributes
    ----------
    fit_
        The `pitmanyor.Fit`.
    components_
        Word probabilities (topics x features).
    n_topics_
        Number of topics.

    >>> import numpy as np
    >>> counts = np.array([[3, 2, 0, 0], [0, 0, 2, 3]] * 5)
    >>> model = TopicModel(n_components=2, sweeps=20, random_state=0).fit(counts)
    >>> model.transform(counts).argmax(axis=1)[:2].tolist() in ([0, 1], [1, 0])
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        model: Graph | None = None,
        sweeps: int = 500,
        keep: int = 20,
        burn_in: int | None = None,
        max_topics: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.model = model
        self.sweeps = sweeps
        self.keep = keep
        self.burn_in = burn_in
        self.max_topics = max_topics
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, authors: Sequence[Any] | None = None) -> TopicModel:
        """Sample the posterior. `authors`: one label per row, for models with authors; `y` is ignored."""
        if isinstance(X, Corpus):
            corpus = X
        else:
            counts = self._counts(X, reset=True)
            names = getattr(self, "feature_names_in_", None)
            corpus = corpus_of_counts(counts, names, None if authors is None else {"author": list(authors)})
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        bound = self.max_topics if self.n_components is None else None
        self.fit_ = fit(
            self._graph("author" in corpus.groups), corpus, self.sweeps, seed=seed, keep=self.keep,
            burn_in=self.burn_in, max_topics=bound, threads=self.n_jobs, progress=False,
        )  # fmt: skip
        self.n_topics_ = self._n_features_out = self.fit_.n_topics
        self.components_ = _components(self.fit_)
        return self

    def transform(self, X: Any) -> Floats:
        """Topic proportions, one row per document. Equal rows of counts have equal proportions, in any batch."""
        check_is_fitted(self)
        if isinstance(X, Corpus):
            return self.fit_.infer(X, threads=self.n_jobs).shares
        return infer_by_content(self.fit_, self._counts(X, reset=False), self.n_jobs)

    def perplexity(self, X: Any) -> float:
        """Perplexity of held-out documents by document completion: half of each is given, and the rest scored."""
        check_is_fitted(self)
        corpus = (
            X if isinstance(X, Corpus) else corpus_of_counts(self._counts(X, reset=False), self.fit_.corpus.vocabulary)
        )
        return float(self.fit_.perplexity(corpus, threads=self.n_jobs).total)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the perplexity, so that a grid search takes the lowest."""
        return -self.perplexity(X)

    def _graph(self, with_authors: bool) -> Graph:
        if self.model is not None:
            return self.model
        if self.n_components is not None:
            return models.lda(self.n_components)
        return models.author_topic() if with_authors else models.hpyp()

    def _counts(self, X: Any, reset: bool) -> sparse.csr_array:
        given = validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=reset)
        check_non_negative(given, f"{type(self).__name__} (counts of words)")
        rows = sparse.csr_array(given)
        whole = np.rint(rows.data).astype(np.int64)
        if np.any(whole != rows.data):
            warnings.warn(
                "values that are not whole were rounded: TopicModel takes counts, such as those of a CountVectorizer, "
                "and no weights such as tf-idf",
                EvidenceWarning,
                stacklevel=callers_level(),
            )
        return sparse.csr_array((whole, rows.indices, rows.indptr), shape=rows.shape)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """The fit as the files of its run, so that nothing of it is ever unpickled as code."""
        state = dict(super().__getstate__())
        if RUN in state:
            with tempfile.TemporaryDirectory() as home:
                state[RUN].save(Path(home) / "run")
                state[RUN] = {
                    path.relative_to(home).as_posix(): path.read_bytes()
                    for path in Path(home).rglob("*")
                    if path.is_file()
                }
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if RUN in state:
            with tempfile.TemporaryDirectory() as home:
                for name, content in state[RUN].items():
                    place = Path(home) / name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(content)
                state[RUN] = Fit(load(Path(home) / "run").runs)
        super().__setstate__(state)


def _components(fitted: Fit) -> Floats:
    """p(word | topic), one column per feature."""
    out = np.zeros((fitted.n_topics, len(fitted.corpus.vocabulary)))
    if fitted.has_topic_words:
        out[:, fitted.state.plan.words[fitted.stream().emit]] = fitted.topic_words()
    return out
