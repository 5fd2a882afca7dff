"""Graphs as plain data, and errors that name the place."""

import json
from typing import Any

import pytest

from pitmanyor.errors import GraphError
from pitmanyor.graph import Beta, Gamma, Graph
from pitmanyor.models import author_topic, bursty, hdp_lda, hpyp, lda, tntm

LEARNED = tntm().set("*", discount=Beta(1, 1)).set("theta", discount=Beta(0.5, 1 / 3))


@pytest.mark.parametrize(
    "graph",
    [
        lda(7),
        hdp_lda(),
        hpyp(),
        author_topic(concentration=Gamma(2, 1)),
        tntm(),
        bursty(tntm(concentration=3)),
        LEARNED,
    ],
    ids=lambda g: g.names[0],
)
def test_through_json_and_back(graph: Graph) -> None:
    back = Graph.from_dict(json.loads(json.dumps(graph.to_dict())))
    assert back == graph
    assert back.names == graph.names


def test_the_stored_form_of_a_node() -> None:
    assert tntm().to_dict()["nodes"][4] == {
        "name": "theta_tag",
        "kind": "pyp",
        "parents": ["mu1", "eta"],
        "over": None,
        "plate": ["document"],
        "discount": 0.0,
        "concentration": {"shape": 0.1, "rate": 0.1},
        "concentration_per": "layer",
        "mix_prior": [1.0, 1.0],
        "mix_weights": None,
    }


WRONG: dict[str, tuple[list[Any], Any, str]] = {
    "format": (["format"], "other", "'other' version 3, but this release reads 'pitmanyor.graph' version 3"),
    "version": (["version"], 1, "version 1, but this release reads"),
    "no list": (["nodes"], {}, "nodes must be a list, not {}"),
    "no object": (["nodes", 2], "nu", r"nodes\[2\] must be an object with the keys name, kind"),
    "unknown key": (["nodes", 0, "colour"], "red", r"nodes\[0\] has the unknown key 'colour'"),
    "kind": (["nodes", 0, "kind"], "crp", r"nodes\[0\].kind is 'crp'"),
    "plate": (["nodes", 2, "plate"], "author", r"nodes\[2\].plate must be a list of names, not 'author'"),
    "prior": (["nodes", 4, "mix_prior"], ["one"], r"nodes\[4\].mix_prior must be a list of numbers"),
    "concentration": (["nodes", 1, "concentration"], {"shape": 1}, r"nodes\[1\].concentration lacks rate"),
    "discount": (["nodes", 1, "discount"], {"alpha": 1}, r"nodes\[1\].discount lacks beta"),
    "discount prior": (["nodes", 1, "discount"], {"alpha": 0, "beta": 1}, "'mu1' has the discount prior"),
    "stream": (["streams", 0, "emit"], None, r"streams\[0\].emit must be a name, not None"),
    "links": (["links", 0, "directed"], "yes", r"links\[0\].directed must be a truth value, not 'yes'"),
    "meaning": (["nodes", 1, "discount"], 2, "the discount of 'mu1' is 2"),
    "parents": (["nodes", 1, "parents"], ["zeta"], "the base 'zeta' of 'mu1' is not a node"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_the_place(case: str) -> None:
    path, value, message = WRONG[case]
    data: Any = json.loads(json.dumps(tntm().to_dict()))
    target = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    with pytest.raises(GraphError, match=message):
        Graph.from_dict(data)


def test_a_missing_key_is_named() -> None:
    data = tntm().to_dict()
    del data["streams"][1]["topic"]
    with pytest.raises(GraphError, match=r"streams\[1\] lacks topic; its keys are name, topic, emit"):
        Graph.from_dict(data)


def test_data_that_is_no_graph() -> None:
    with pytest.raises(GraphError, match=r"the graph must be an object with the keys .* not \[\]"):
        Graph.from_dict([])
