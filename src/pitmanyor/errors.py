"""Every error pitmanyor raises on purpose. Each message says what was expected and what to do."""

from __future__ import annotations


class PitmanyorError(Exception):
    """Base of all errors that pitmanyor raises on purpose."""


class GraphError(PitmanyorError, ValueError):
    """An invalid graph; the message names the node and the fix."""


class CorpusError(PitmanyorError, ValueError):
    """Data that cannot be read as a corpus; the message names the place and the fix."""


class PlanError(PitmanyorError, ValueError):
    """A graph and a corpus that do not fit each other, or arguments that fit neither."""


class StateError(PitmanyorError, RuntimeError):
    """Counts that break an invariant: always a bug, never the user's fault."""


class FileError(PitmanyorError, OSError):
    """A file that cannot be written, or that was truncated or changed, or is of another kind."""


class EvidenceWarning(UserWarning):
    """An answer that rests on too little data, or on chains that disagree."""


class SaveWarning(UserWarning):
    """A checkpoint that could not be written while a chain ran; the one before is untouched."""


class ReadWarning(UserWarning):
    """Something unexpected in a source; the report of the corpus repeats it."""
