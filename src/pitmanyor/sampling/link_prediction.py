"""What a state with a network says of links: probabilities and likelihoods."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from pitmanyor import purposes
from pitmanyor.errors import PlanError
from pitmanyor.graph import Links
from pitmanyor.network.evidence import Evidence, log_evidence
from pitmanyor.network.features import kernel_of
from pitmanyor.network.inducing import PairFunction
from pitmanyor.network.noise import log_link
from pitmanyor.network.similar_links import SimilarLinks
from pitmanyor.sampling.observed_links import block_links, trait_links
from pitmanyor.sampling.text_and_network import TextAndNetwork, method_of
from pitmanyor.seeds import generator
from pitmanyor.state import State
from pitmanyor.state.means import mean

Floats = NDArray[np.float64]


def find_links(state: State, name: str | None) -> Links:
    """The link set of that name, or the only one; a PlanError if no network has joined."""
    sets = {links.name: links for links in state.plan.graph.link_sets}
    if not state.network:
        raise PlanError(
            "this state has no network: "
            + ("it has not joined yet; ask for more sweeps than text_sweeps" if sets else "the graph has no links")
        )
    if name is None and len(sets) > 1:
        raise PlanError(f"say which links: {', '.join(sets)}")
    if name is not None and name not in sets:
        raise PlanError(f"no links {name!r}; this graph has {', '.join(sets)}")
    return sets[name] if name is not None else next(iter(sets.values()))


def link_probability(
    state: State, sources: Sequence[Hashable], targets: Sequence[Hashable], name: str | None
) -> Floats:
    """p(link) of pairs of labels, given the vectors and weights of one state; the noise is integrated out.

    Where links may be answers, a pair's other direction has its say if it is seen.
    """
    links = find_links(state, name)
    code = {label: i for i, label in enumerate(state.plan.instances[links.between].labels)}
    for label in (*sources, *targets):
        if label not in code:
            raise PlanError(f"{label!r} is not an instance of {links.between!r}: it has no documents in this fit")
    nu = mean(state, links.between)
    if links.kernel in ("blocks", "traits"):
        item = (block_links if links.kernel == "blocks" else trait_links)(state.plan, links, state.n_topics)
        item.weights = state.network[f"{links.name}/weights"]
        item.place(nu)
        return item.probability(*(np.array([code[label] for label in side], np.int64) for side in (sources, targets)))
    if links.kernel == "pair":
        return _pair_probability(state, links, nu[[code[x] for x in sources]], nu[[code[x] for x in targets]])
    unit = nu / np.linalg.norm(nu, axis=1, keepdims=True)
    i, j = ([code[label] for label in side] for side in (sources, targets))
    similar = SimilarLinks(kernel_of(links))
    similar.weights = state.network[f"{links.name}/weights"]
    return np.asarray(np.exp(similar.log_probability(np.clip((unit[i] * unit[j]).sum(axis=1), 0.0, 1.0))))


def _pair_probability(state: State, links: Links, left: Floats, right: Floats) -> Floats:
    item = PairFunction(kernel_of(links), state.n_topics, links.directed)
    weights = state.network[f"{links.name}/weights"]
    one, other = item.features(left), item.features(right)
    scores = [item.scores(one[i : i + 1], other[i : i + 1], weights)[0, 0] for i in range(len(one))]
    return np.asarray(np.exp(log_link(np.array(scores), links.noise)))


def network_log_likelihood(state: State, name: str | None, seed: int, n_draws: int) -> Evidence:
    """log p(X | nu) of a link set, weights integrated out."""
    if n_draws < 2:
        raise PlanError(f"n_draws must be 2 or more, which an error needs, not {n_draws}")
    links = find_links(state, name)
    if links.kernel in ("blocks", "traits"):
        raise PlanError(
            f'the links {links.name!r} have kernel="{links.kernel}", whose unknowns are too many to be integrated out; '
            "compare models by evaluate.link_ranking on held-out links"
        )
    both = TextAndNetwork(state, 1, method_of(state.network))
    both.restore(state.network)
    item = both.network.nodes[links.between].scored[links.name]
    return log_evidence(item, generator(seed, purposes.LINK_EVIDENCE), n_draws)
