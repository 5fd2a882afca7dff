"""Settings of a fit with the defaults that depend on the model and the data filled in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from pitmanyor.errors import PlanError
from pitmanyor.graph import Graph
from pitmanyor.graph.topic_numbers import fixed_number
from pitmanyor.plan import Plan
from pitmanyor.results.insights import Fit as Fit
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.runs.fit_options import Network, Sampler
from pitmanyor.sampling.chain import tidy as tidy
from pitmanyor.sampling.joining import root_of
from pitmanyor.sampling.sweeps import share_of_anchors

Preset = Literal["paper"]


COLLAPSED_FIRST = 5  # sweeps, each as long as many mixed ones: births in all documents, where topics begin few


FEWEST_TOPICS = 20


def filled(asked: Settings, plan: Plan) -> Settings:
    """The settings with the defaults that depend on the data."""
    with_network_at_once = bool(plan.graph.link_sets) and asked.network.text_sweeps == 0
    moves = asked.sampler.moves and not with_network_at_once  # moves end where a network joins
    topics = _topics_to_begin_with(plan, asked.start.topics, asked.max_topics, moves)
    first, anchors = asked.sampler.collapsed_first, asked.sampler.anchors
    if first is None:  # topics at random do as well without
        first = 0 if topics else min(COLLAPSED_FIRST, asked.sweeps // 4)
    anchors = share_of_anchors(plan.n_tokens) if anchors is None else float(anchors)
    sampler = replace(asked.sampler, collapsed_first=first, anchors=anchors, moves=moves)
    return replace(asked, sampler=sampler, start=replace(asked.start, topics=topics))


def _topics_to_begin_with(plan: Plan, topics: int | None, max_topics: int | None, moves: bool) -> int:
    """Number of topics to assign at random, or 0 to draw them one after the other."""
    if topics is not None:
        return topics
    if not plan.n_tokens:
        return 0
    if plan.n_topics is not None:
        return plan.n_topics
    most = plan.n_tokens if max_topics is None else max_topics
    return min(max(FEWEST_TOPICS, 0 if moves else round(math.sqrt(plan.n_tokens) / 4)), most)


def as_in_the_paper(graph: Graph, preset: str, sampler: Sampler) -> tuple[Graph, Sampler]:
    """The published settings: a concentration per instance, one pass and no moves. A sampler that is given stays."""
    if preset != "paper":
        raise PlanError(f'preset is "paper" or None, not {preset!r}')
    return graph.set("*", concentration_per="instance"), Sampler(
        passes=1, moves=False
    ) if sampler == Sampler() else sampler


def network_of(graph: Graph, asked: Network, sweeps: int) -> Network:
    """How links join, with defaults filled in."""
    if not graph.streams and graph.link_sets:
        return replace(asked, text_sweeps=0, spare_topics=_topics_of_links(graph, asked.n_topics))
    if asked.n_topics is not None:
        raise PlanError(f"Network(n_topics={asked.n_topics}) is for links without text. {fixed_number(asked.n_topics)}")
    if not graph.link_sets:
        return replace(asked, text_sweeps=0, spare_topics=0)
    root_of(graph)  # teaches if links hang on a node that cannot be sampled
    return replace(asked, text_sweeps=sweeps // 2) if asked.text_sweeps is None else asked


def _topics_of_links(graph: Graph, n_topics: int | None) -> int:
    """How many topics the vectors of a graph without text are over; those of a finite root are there already."""
    if root_of(graph).kind != "gem":
        return 0
    if n_topics is None:
        raise PlanError("a graph of links without text cannot infer its topics; pass network=Network(n_topics=10)")
    return int(n_topics)
