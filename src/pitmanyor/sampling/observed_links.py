"""The links of a corpus between the instances that a plan has."""

from __future__ import annotations

import warnings
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import callers_level
from pitmanyor.errors import PlanError
from pitmanyor.graph import Links
from pitmanyor.network.block_links import BlockLinks
from pitmanyor.network.block_prior import effects_of
from pitmanyor.network.dyads import sparse
from pitmanyor.network.observed import Ends, Observed, observe
from pitmanyor.network.trait_links import TraitLinks
from pitmanyor.network.trait_prior import parts_of
from pitmanyor.plan import Plan

Ints = NDArray[np.int64]


def ends_of(plan: Plan, links: Links) -> Ends:
    """The links of a set as pairs of instances of its node; a warning if some lead nowhere."""
    corpus = plan.corpus
    if links.name not in corpus.links:
        have = ", ".join(map(repr, corpus.links)) or "none"
        raise PlanError(
            f"the graph has links {links.name!r}, and this corpus has none of that name (it has: {have}); "
            f"fit graph.without({links.name!r}), or give the corpus links"
        )
    found = corpus.links[links.name]
    code: dict[Hashable, int] = {label: i for i, label in enumerate(plan.instances[links.between].labels)}
    place = np.array([code.get(label, -1) for label in found.labels], np.int64)
    sources, targets = place[found.sources], place[found.targets]
    known = (sources >= 0) & (targets >= 0)
    if not known.all():
        warnings.warn(
            f"{int((~known).sum())} of {len(known)} links {links.name!r} lead to or from somebody without documents "
            "here and are left out",
            stacklevel=callers_level(),
        )
    hidden = place[found.hidden].reshape(-1, 2)
    return Ends(sources[known], targets[known], hidden[(hidden >= 0).all(axis=1)])


def observed_links(plan: Plan, links: Links) -> Observed:
    """Every pair of instances of a link set's node: linked, apart or hidden."""
    n = len(plan.instances[links.between])
    return observe(n, ends_of(plan, links), directed=links.directed, self_links=links.self_links)


def block_links(plan: Plan, links: Links, n_topics: int, place: int = 0) -> BlockLinks:
    """A set of links between topics; `place` tells the sets of a node apart."""
    found = sparse(len(plan.instances[links.between]), ends_of(plan, links), directed=links.directed)
    return BlockLinks(effects_of(links), n_topics, found, place)


def trait_links(plan: Plan, links: Links, n_topics: int, place: int = 0) -> TraitLinks:
    """A set of links between traits; `place` tells the sets of a node apart."""
    return TraitLinks(parts_of(links), n_topics, observed_links(plan, links), place)
