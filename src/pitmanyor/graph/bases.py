"""Bases of nodes: another node, a mixture of nodes, or the uniform distribution over a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import GraphError
from pitmanyor.graph.nodes import Mix, Node, Uniform
from pitmanyor.graph.values import as_over, as_prior, as_weights

Base = Node | str | Mix | Uniform


class BaseFields(NamedTuple):
    """A base as the fields of the node that has it."""

    parents: tuple[str, ...]
    over: str | None
    mix_prior: tuple[float, ...] | None
    mix_weights: tuple[float, ...] | None


@checked_call(values=False)
def mix(*parents: Node | str, prior: float | Sequence[float] = 1.0, weights: Sequence[float] | None = None) -> Mix:
    """A mixture of parents, as the base of a node.

    Parameters
    ----------
    parents
        Nodes or their names, at least two. Entry i of `prior`, of `weights` and of the learned weights belongs to
        parent i.
    prior
        Parameters of the Dirichlet prior of the weights, which are learned: one number for all parents, or one for
        each.
    weights
        Fixed weights that add up to 1, instead of a prior.

    >>> mix("mu1", "eta")
    Mix(parents=('mu1', 'eta'), prior=(1.0, 1.0), weights=None)
    >>> mix("mu1", "eta", weights=(0.2, 0.8)).weights
    (0.2, 0.8)
    """
    for parent in parents:
        if not isinstance(parent, Node | str):
            raise GraphError(
                f"mix() takes nodes or their names, not {parent!r}; to mix in a uniform distribution or another "
                "mixture, declare a pyp node with it as base and mix that node"
            )
    names = tuple(parent.name if isinstance(parent, Node) else parent for parent in parents)
    place = f"mix({', '.join(map(repr, names))})"
    check_parents(place, names)
    if weights is None:
        return Mix(names, as_prior(place, len(names), prior), None)
    if prior != 1.0:
        raise GraphError(
            f"{place} has both a prior and weights: give `prior` to learn the weights, `weights` to fix them"
        )
    return Mix(names, None, as_weights(place, len(names), weights))


@checked_call(values=False)
def uniform(over: str = "vocabulary") -> Uniform:
    """The uniform distribution over a vocabulary, as the base of a node.

    Parameters
    ----------
    over
        "vocabulary" for all words of the corpus, or the name of a stream for its own words.
    """
    if not isinstance(over, str):
        raise GraphError(
            f"uniform({over!r}): over must be 'vocabulary' or the name of a token stream; "
            "for a fixed number of topics declare a dirichlet node over that number"
        )
    return Uniform(str(as_over("uniform", over)))


def check_parents(place: str, names: Sequence[str]) -> None:
    """Raise unless a mixture has at least two parents, all different."""
    if len(names) < 2:
        raise GraphError(f"{place}: a mixture needs at least two parents; with one, give the node itself as base")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise GraphError(f"{place} names {name!r} twice; give it once, with a larger prior or weight")


def base_fields(name: str, base: Base, nodes: Mapping[str, Node]) -> BaseFields:
    """Resolve the base that was given for the node `name` of a graph with these nodes."""
    if isinstance(base, Uniform):
        return BaseFields((), base.over, None, None)
    if isinstance(base, Mix):
        return BaseFields(base.parents, None, base.prior, base.weights)
    if isinstance(base, str):
        return BaseFields((base,), None, None, None)
    if isinstance(base, Node):
        if base.name in nodes and nodes[base.name] != base:
            raise GraphError(
                f"the base {base.name!r} given for {name!r} belongs to another graph and differs from the node of that "
                f"name here; pass its name {base.name!r}, or the node that this graph returned"
            )
        return BaseFields((base.name,), None, None, None)
    raise GraphError(
        f"{name!r} has base={base!r}, but a base is a node, its name, mix(...) of nodes, or uniform('vocabulary')"
    )
