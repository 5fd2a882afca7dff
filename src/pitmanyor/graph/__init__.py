"""The little language: a graph of Pitman-Yor nodes, its edits, its checks, its drawings."""

from pitmanyor.graph.bases import mix, uniform
from pitmanyor.graph.graph import Graph
from pitmanyor.graph.nodes import Gamma, Links, Mix, Node, Tokens, Uniform

__all__ = ["Gamma", "Graph", "Links", "Mix", "Node", "Tokens", "Uniform", "mix", "uniform"]
