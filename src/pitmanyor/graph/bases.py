"""What a node may stand on: another node, a mixture of nodes, or the uniform distribution over a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitmanyor.errors import GraphError
from pitmanyor.graph.nodes import Mix, Node, Uniform
from pitmanyor.graph.values import as_over, as_prior, as_weights

Base = Node | str | Mix | Uniform


class BaseFields(NamedTuple):
    """A base spelt out as the fields of the node that stands on it."""

    parents: tuple[str, ...]
    over: str | None
    mix_prior: tuple[float, ...] | None
    mix_weights: tuple[float, ...] | None


def mix(*parents: Node | str, prior: float | Sequence[float] = 1.0, weights: Sequence[float] | None = None) -> Mix:
    """A mixture of parents: rho ~ Dirichlet(prior) learned by default, or fixed `weights` that add up to 1.

    The order counts: entry i of prior, weights and the learned rho belongs to parent i.

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


def uniform(over: str = "vocabulary") -> Uniform:
    """The uniform distribution over all words of the corpus, or over the words of one stream (its name)."""
    if not isinstance(over, str):
        raise GraphError(
            f"uniform({over!r}): over must be 'vocabulary' or the name of a token stream; "
            "for a fixed number of topics declare a dirichlet node over that number"
        )
    return Uniform(str(as_over("uniform", over)))


def check_parents(place: str, names: Sequence[str]) -> None:
    """A mixture has at least two parents, all different."""
    if len(names) < 2:
        raise GraphError(f"{place}: a mixture needs at least two parents; with one, give the node itself as base")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise GraphError(f"{place} names {name!r} twice; give it once, with a larger prior or weight")


def base_fields(name: str, base: Base, nodes: Mapping[str, Node]) -> BaseFields:
    """Spell out the base given for node `name` in a graph of `nodes`."""
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
