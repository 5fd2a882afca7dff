"""Every error pitmanyor raises on purpose. Each message says what was expected and what to do."""

from __future__ import annotations


class PitmanyorError(Exception):
    """Base of all errors that pitmanyor raises on purpose."""


class GraphError(PitmanyorError, ValueError):
    """A graph that says something impossible; the message names the node and the way out."""


class CorpusError(PitmanyorError, ValueError):
    """Data that cannot be read as a corpus; the message names the place and the way out."""


class PlanError(PitmanyorError, ValueError):
    """A graph and a corpus that do not fit each other, or arguments that fit neither."""


class StateError(PitmanyorError, RuntimeError):
    """Counts that break an invariant: always a bug, never the user's fault."""
