"""One grammar for the public API: counts, shares, and where measures and insights are found (decision 14)."""

import inspect
import re
from dataclasses import fields, is_dataclass

import pytest

import pitmanyor
from pitmanyor import Corpus, Fit, Network, Sampler, Start, evaluate, topics
from pitmanyor.fold_in import TopicShares

pytestmark = pytest.mark.nojit
PLACES = (pitmanyor, evaluate, topics, pitmanyor.models, pitmanyor.export, pitmanyor.figures, pitmanyor.reading)
VALUES = (
    TopicShares,
    Network,
    Sampler,
    Start,
    *(getattr(place, name) for place in (evaluate, topics) for name in place.__all__),
)

# Measures that take several fits, word lists or labels: the methods of Fit supply them.
SUPPLIED = {
    "adjusted_rand", "coherence", "convergence", "diagnose", "diversity", "nmi", "purity", "stability", "topic_count",
}  # fmt: skip
NOT_OF_A_FIT = {"auc", "average_precision", "top_words", "view"}  # what others are made of
# Whole numbers that are no counts of things, and counts that every library calls so.
OTHERS = {
    "seed", "sweeps", "chains", "keep", "burn_in", "threads", "n", "chain", "passes", "window", "collapsed_first",
    "topic", "document", "level", "text_sweeps", "spare_topics", "topics",
}  # fmt: skip


def public_functions():
    for place in PLACES:
        for name in place.__all__:
            if inspect.isfunction(thing := getattr(place, name)):
                yield f"{place.__name__}.{name}", thing
    for kind in (Fit, Corpus):
        for name, thing in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                yield f"{kind.__name__}.{name}", thing


def is_whole(annotation):
    return re.fullmatch(r"int( \| None)?", str(annotation)) is not None


def test_a_parameter_that_counts_says_so():
    wrong = {
        f"{name}({parameter.name})"
        for name, function in public_functions()
        for parameter in inspect.signature(function).parameters.values()
        if is_whole(parameter.annotation) and not re.match(r"(n|min|max)_", parameter.name)
        if parameter.name not in OTHERS and ".simulate" not in name  # there the sizes are those of plates, by name
    }
    assert wrong == set()


def test_a_field_or_property_that_counts_says_so():
    wrong = {
        f"{kind.__name__}.{field.name}"
        for kind in VALUES
        if is_dataclass(kind)
        for field in fields(kind)
        if (is_whole(field.type) or field.type == "dict[str, int]") and not re.match(r"(n|min|max)_", field.name)
        if field.name not in OTHERS | {"low", "high", "sweeps"}  # ends of an interval
    }
    counted = {
        f"{kind.__name__}.{name}"
        for kind in (Fit, Corpus)
        for name, thing in inspect.getmembers(kind, lambda thing: isinstance(thing, property))
        if is_whole(inspect.signature(thing.fget).return_annotation) and not name.startswith("n_")
    }
    assert wrong | counted == set()


def test_share_is_a_proportion_and_topic_proportions_are_shares():
    for name, function in public_functions():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name == "share":
                assert str(parameter.annotation) == "float", name
            assert not re.search(r"proportion|theta", parameter.name), name
    for kind in (Fit, TopicShares, topics.Prevalence):
        assert not [name for name in dir(kind) if re.search(r"proportion|theta", name)]
    assert {"document_shares", "topic_shares", "author_shares"} <= set(dir(Fit))
    assert {field.name for kind in (TopicShares, topics.Prevalence) for field in fields(kind)} >= {"shares"}


@pytest.mark.parametrize("place", [evaluate, topics])
def test_measures_and_insights_are_methods_and_functions_of_one_name(place):
    functions = {name for name in place.__all__ if inspect.isfunction(getattr(place, name))} - NOT_OF_A_FIT
    assert functions <= set(dir(Fit))
    for name in functions - SUPPLIED:
        method, function = (list(inspect.signature(getattr(kind, name)).parameters) for kind in (Fit, place))
        hidden = {"shown", "tables"}  # what the caller knows of the fit already
        assert [one for one in function[1:] if one not in hidden] == [
            {"members": "topics"}.get(one, one) for one in method[1:]
        ], name


def test_what_is_exported_is_there_and_in_order():
    assert len(set(pitmanyor.__all__)) == len(pitmanyor.__all__)
    assert all(hasattr(pitmanyor, name) for name in pitmanyor.__all__)
