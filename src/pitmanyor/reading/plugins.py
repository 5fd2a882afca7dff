"""Tokenisers and readers that other packages offer as entry points.

A tokeniser (group `pitmanyor.tokenisers`) is a function from a text to its tokens. A reader (group `pitmanyor.readers`,
named after a file ending such as `xlsx`) is a function from a path to records, that is dicts.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from pitmanyor.errors import CorpusError


def names(group: str) -> list[str]:
    return sorted({point.name for point in entry_points(group=group)})


def load(group: str, name: str, built_in: tuple[str, ...] = ()) -> Any:
    """What the entry point of this name offers."""
    found = [point for point in entry_points(group=group) if point.name == name]
    if not found:
        known = ", ".join(map(repr, [*built_in, *names(group)])) or "none"
        raise CorpusError(f"there is no {name!r} among {group} (there are: {known}); install its package")
    try:
        return found[0].load()
    except Exception as error:
        raise CorpusError(f"{group}: {name!r} from {found[0].value} does not load: {error}") from error
