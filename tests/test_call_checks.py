"""Calls that do not fit are told what to write instead, by every public function and method."""

import inspect
import warnings
from importlib import import_module

import numpy as np
import pytest

import pitmanyor
from pitmanyor import Beta, Corpus, CorpusError, Gamma, Graph, GraphError, Network, PlanError, Sampler, Start, models
from pitmanyor.call_checks import callers_level
from pitmanyor.call_kinds import shown

MODULES = ("", ".baselines", ".evaluate", ".export", ".figures", ".graph", ".models", ".report", ".simulation")
MODULES += (".topics",)
TOKENS = [["goal", "match", "team"], ["bread", "oven", "flour"]] * 6
AUTHORS = ["ann", "bob", "cy"] * 4


def public_calls():
    """Every public function, method and value, once each."""
    seen = set()
    for module in (import_module(f"pitmanyor{name}") for name in MODULES):
        for name in module.__all__:
            if inspect.isfunction(thing := getattr(module, name)) and thing not in seen:
                seen.add(thing)
                yield name, thing
    for kind in (pitmanyor.Fit, Corpus, Graph):
        for name, method in inspect.getmembers(kind, callable):
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", method
    yield from ((kind.__name__, kind) for kind in (Beta, Gamma, Network, Sampler, Start))


@pytest.mark.parametrize(("label", "function"), [pytest.param(*one, id=one[0]) for one in public_calls()])
def test_an_unknown_keyword_names_those_there_are(label, function):
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return  # such as read(**options), which lists them itself
    known = [one.name for one in parameters if one.name != "self" and one.kind is not one.VAR_POSITIONAL]
    with pytest.raises(TypeError, match=f"^{label.split('.')[-1]} has no keyword 'no_such': it takes ") as told:
        function(no_such=1)
    assert all(name in str(told.value) for name in known)


@pytest.fixture(scope="module")
def corpus():
    pairs = [("ann", "bob"), ("bob", "cy")]
    return Corpus.from_tokens(TOKENS, groups={"author": AUTHORS}, links={"follows": pairs})


@pytest.fixture(scope="module")
def fitted(corpus):
    return pitmanyor.fit(models.author_topic(), corpus, sweeps=10, seed=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda f: f.similar("author", "ann"), r"by name: write similar\(author='ann'\)"),
        (lambda f: f.similar("ann"), r"takes document, author, topic and n by name"),
        (lambda f: pitmanyor.similar(f, "topic", 1, "n", 3), r"write similar\(fit, topic=1, n=3\)"),
        (lambda f: f.similar(autor="ann"), "similar has no keyword 'autor': did you mean author?"),
        (lambda f: f.labels(2, "lift", 5), "labels takes n_words and by, and was given 1 more"),
        (lambda f: f.representative(), r"representative needs topic: write representative\(topic\)"),
        (lambda f: f.representative(0, topic=1), "representative was given topic twice"),
        (lambda f: pitmanyor.fit(models.hpyp()), r"fit needs corpus: write fit\(graph, corpus\)"),
        (lambda f: pitmanyor.simulate(models.hpyp(), documents=3, seed=1), "tokens=..., vocabulary=..., seed=...\\)"),
        (lambda f: Sampler(passses=1), "Sampler has no keyword 'passses': did you mean passes?"),
        (lambda f: Gamma(1.0), r"Gamma needs rate: write Gamma\(shape, rate\)"),
    ],
)
def test_what_does_not_fit_the_signature(fitted, call, said):
    with pytest.raises(TypeError, match=said):
        call(fitted)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda f: f.labels("three"), PlanError, "n_words must be a whole number, not 'three'"),
        (lambda f: f.representative(0, n=2.5), PlanError, "n must be a whole number, not 2.5"),
        (lambda f: f.similar(document="a1"), PlanError, "document must be a whole number or None, not 'a1'"),
        (lambda f: f.prevalence(["author"]), PlanError, r"by must be a text or None, not \['author'\]"),
        (lambda f: f.prevalence("author", level="high"), PlanError, "level must be a number, not 'high'"),
        (lambda f: f.merge(3), PlanError, "members must be a list of whole numbers, not 3"),
        (lambda f: f.merge(["a", "b"]), PlanError, "members must be a list of whole numbers"),
        (lambda f: f.rename("sport"), PlanError, "names must be a dict, not 'sport'"),
        (lambda f: f.recommend_tags(5), PlanError, "text must be a text or a list of tokens, not 5"),
        (
            lambda f: f.recommend_authors(posts="one"),
            PlanError,
            "posts must be a list of texts or lists of tokens or None",
        ),
        (lambda f: f.infer(TOKENS, sweeps="many"), PlanError, "sweeps must be a whole number or None, not 'many'"),
        (lambda f: f.infer(TOKENS, seed="x"), PlanError, "seed must be a whole number, not 'x'"),
        (lambda f: f.match_topics(f.corpus), PlanError, "other must be a Fit, as fit and load return it, not a Corpus"),
        (lambda f: f.diagnose("run"), PlanError, "others must be a Fit, .* each"),
        (lambda f: f.link_scores([("ann", "bob")]), PlanError, "held must be what Corpus.hide_links returns"),
        (lambda f: f.purity(7), PlanError, "labels must be a text or a list of labels, not 7"),
        (lambda f: f.diversity(large="yes"), PlanError, "large must be True or False, not 'yes'"),
        (lambda f: pitmanyor.labels("run"), PlanError, "fit must be a Fit, as fit and load return it, not 'run'"),
        (lambda f: pitmanyor.table(f.corpus), PlanError, "what must be a Fit, .* or what its infer returns or"),
        (
            lambda f: pitmanyor.fit(models.hpyp(), TOKENS, sampler="mixed"),
            PlanError,
            r"sampler must be a Sampler\(\.\.\.\)",
        ),
        (lambda f: pitmanyor.load(5), PlanError, "path must be a text or a path, not 5"),
        (lambda f: pitmanyor.evaluate.topic_count([]), PlanError, "fits is empty"),
        (lambda f: pitmanyor.evaluate.auc([True, False], ["a", "b"]), PlanError, "scores are numbers"),
        (lambda f: pitmanyor.figures.topic_table(f, 0), PlanError, "n_topics is how many to draw, 1 or more, not 0"),
        (lambda f: f.corpus.split(float("nan")), CorpusError, "not nan"),
        (lambda f: f.corpus.split(by=3), CorpusError, "by must be a text or None, not 3"),
        (lambda f: pitmanyor.read(TOKENS, save_to=3), CorpusError, "save_to must be a text or a path or None, not 3"),
        (lambda f: models.hpyp(20), TypeError, r"hpyp takes no number of topics: this model infers .* max_topics=20\)"),
        (
            lambda f: models.tntm(n_topics=9),
            TypeError,
            r"no keyword 'n_topics': .* a fixed number models.lda\(9",
        ),
        (lambda f: models.lda("ten"), GraphError, "n_topics must be a whole number, not 'ten'"),
        (lambda f: models.bursty(models.lda), GraphError, r"not a function: call it, lda\(\)"),
        (lambda f: models.hpyp()[["mu"]], GraphError, "this graph has no node"),
        (lambda f: Graph().tokens("word", topic=[], emit="phi"), GraphError, "topic must be a node or a text, not"),
        (lambda f: Corpus.from_tokens([1, 2]), CorpusError, "stream 'word', document 0 must be a list, not 1"),
        (lambda f: Corpus.from_tokens([["a", None]]), CorpusError, "document 0: a token must be a text, not None"),
        (lambda f: Corpus.from_tokens([["a"]], {"author": [["Ann", "Bob"]]}), CorpusError, "a label is one text or"),
        (lambda f: Corpus.from_tokens([["a"]], {"author": 5}), CorpusError, "group 'author' must be a list, not 5"),
        (lambda f: Corpus.from_tokens([["a"]], {3: ["x"]}), CorpusError, "have names, which are texts, not 3"),
        (lambda f: Corpus.from_tokens([["a"]], links={"f": [1]}), CorpusError, "links 'f', entry 0: 1 is not a pair"),
        (lambda f: Corpus.from_tokens([["a"]], links={"f": "ab"}), CorpusError, "'f' are a list of pairs"),
    ],
)
def test_values_of_another_kind(fitted, call, error, said):
    with pytest.raises(error, match=said):
        call(fitted)


def test_numbers_of_numpy_are_numbers(fitted, corpus, tmp_path):
    one, two = np.int64(1), np.int32(2)
    assert fitted.labels(two) == fitted.labels(2) and fitted.similar(document=one, n=two)
    assert fitted.infer(TOKENS, sweeps=two, seed=one).shares.shape == fitted.infer(TOKENS, sweeps=2).shares.shape
    assert models.lda(two) == models.lda(2) and len(corpus.split(two, seed=one)[1].ids or [0]) >= 0
    made = pitmanyor.fit(models.lda(two), corpus, sweeps=two, seed=one, keep=one, threads=one)
    made.save(tmp_path / "run")
    made.merge(np.arange(2), "all")
    made.rename({one: "both"})
    assert pitmanyor.load(tmp_path / "run").labels() == ["both", "both"]
    assert pitmanyor.simulate(models.lda(two), documents=two, tokens=one, vocabulary=two, seed=one).corpus.n_tokens == 2


def test_parts_of_a_corpus_that_are_not_there(corpus):
    for part, name in ((corpus.groups, "author"), (corpus.streams, "word"), (corpus.links, "follows")):
        with pytest.raises(KeyError, match=f"this corpus has no 'party' among its .*; it has {name}"):
            part["party"]
        with pytest.raises(TypeError):
            part["party"] = 1
    with pytest.raises(AttributeError, match="no attribute 'fitt'; did you mean fit?"):
        getattr(pitmanyor, "fitt")  # noqa: B009


def test_warnings_name_the_line_of_the_caller(fitted):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted.similar(author="ann")
    assert [one.filename for one in caught] == [__file__]
    assert callers_level() == 1


def test_values_in_messages_are_short():
    assert shown("x" * 100).endswith("...") and len(shown("x" * 100)) < 70
    assert (shown(np.int64(3)), shown(np.zeros(100)), shown(object())) == ("np.int64(3)", "a ndarray", "a object")
