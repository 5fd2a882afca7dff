"""Plates: keys of instances, and what does not nest."""

import pytest

from oracle.toys import nested_groups
from pitmanyor.errors import PlanError
from pitmanyor.simulation import Plates, simulate


def test_keys_follow_the_order_of_the_plate():
    plates = Plates.labelled(3, {"author": ["bob", "ann", "bob"]})
    assert plates.key((), 2, 5) == ()
    assert plates.key(("author", "topic"), 1, 5) == (1, 5)
    assert plates.key(("author", "document", "topic"), 2, 5) == (0, 2, 5)


def test_labels_are_coded_as_a_corpus_codes_them():
    graph, corpus = nested_groups()
    labels = {name: [group.labels[code] for code in group.codes] for name, group in corpus.groups.items()}
    mine, theirs = Plates.labelled(3, labels), Plates.of(corpus)
    for document in range(3):
        assert mine.key(("author", "party"), document, 0) == theirs.key(("author", "party"), document, 0)


def test_groups_must_nest_where_a_shared_node_relies_on_it():
    graph, _ = nested_groups()
    groups = {"author": ["ann", "bob", "ann"], "party": ["red", "red", "blue"]}
    with pytest.raises(PlanError, match="one instance of author has both party 'red' and 'blue' .document 2."):
        simulate(graph, documents=3, tokens=2, groups=groups, vocabulary=3, seed=1)


def test_nested_groups_share_their_parent():
    graph, corpus = nested_groups()
    groups = {"author": ["ann", "bob", "cal"], "party": ["red", "red", "blue"]}
    drawn = simulate(graph, documents=3, tokens=30, groups=groups, vocabulary=3, seed=1)
    sent = {key: sum(dishes.values()) for key, dishes in drawn.tables["nu"].items()}
    got = {key: sum(dishes.values()) for key, dishes in drawn.customers["party_topics"].items()}
    assert got == {(0,): sent[0,] + sent[1,], (1,): sent[2,]}
