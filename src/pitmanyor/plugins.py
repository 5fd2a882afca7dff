"""What other packages add through entry points: tokenisers, readers, models and measures.

| group | name | what it is |
|---|---|---|
| `pitmanyor.tokenisers` | as in `read(tokeniser=...)` | a function from a text to its tokens |
| `pitmanyor.readers` | a file extension such as `xlsx` | a function from a path to records, that is dicts |
| `pitmanyor.models` | as in `fit --model NAME` or `NAME:ARGUMENT` | a function of the argument to a Graph |
| `pitmanyor.measures` | as in `evaluate --measure NAME` | a function of a Fit and a test Corpus (or None) to a number |
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from pitmanyor.errors import CorpusError, PitmanyorError

TOKENISERS, READERS = "pitmanyor.tokenisers", "pitmanyor.readers"
MODELS, MEASURES = "pitmanyor.models", "pitmanyor.measures"
GROUPS = (TOKENISERS, READERS, MODELS, MEASURES)


def names(group: str) -> list[str]:
    """The names that installed packages offer in a group."""
    return sorted({point.name for point in entry_points(group=group)})


def load(group: str, name: str, built_in: tuple[str, ...] = (), error: type[PitmanyorError] = CorpusError) -> Any:
    """What the entry point of this name offers; an error of this kind if there is none, or it does not load."""
    found = [point for point in entry_points(group=group) if point.name == name]
    if not found:
        known = ", ".join(map(repr, [*built_in, *names(group)])) or "none"
        raise error(f"there is no {name!r} among {group} (there are: {known}); install its package")
    try:
        return found[0].load()
    except Exception as broken:
        raise error(f"{group}: {name!r} from {found[0].value} does not load: {broken}") from broken
