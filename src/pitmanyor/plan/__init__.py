"""Plans: a graph and a corpus, flattened for the kernels."""

from pitmanyor.plan.plan import Plan, compile_plan

__all__ = ["Plan", "compile_plan"]
