"""The model language: graphs of Pitman-Yor nodes with edits, checks and drawings."""

from pitmanyor.graph.bases import mix, uniform
from pitmanyor.graph.graph import Graph
from pitmanyor.graph.nodes import Beta, Gamma, Links, Mix, Node, Tokens, Uniform

__all__ = ["Beta", "Gamma", "Graph", "Links", "Mix", "Node", "Tokens", "Uniform", "mix", "uniform"]
