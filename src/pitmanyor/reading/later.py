"""Later posts, read as those of a corpus were: the same options, but for columns that they do not have."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pitmanyor.call_checks import callers_level
from pitmanyor.corpus import Corpus
from pitmanyor.errors import ReadWarning
from pitmanyor.reading.options import FileOptions, bundle
from pitmanyor.reading.plain_values import PERIODS
from pitmanyor.reading.read import read
from pitmanyor.reading.sources import open_source

ALL_OF_THEM = {"duplicates": "keep", "missing_author": "keep", "min_tokens": 0}
OPTIONAL = ("author", "tags", "time", "id")  # a post has a text, and maybe these
FILE = tuple(field.name for field in fields(FileOptions))


def read_later(source: Any, before: Corpus, own: Mapping[str, Any]) -> Corpus:
    """Read all posts of a source in the same way as those of a corpus; options that are given override its own.

    A warning names each column of the corpus that the source lacks, except ids and times (groups made from times are
    named).
    """
    said = before.report.options if before.report else {}
    how = {**said, **own}
    table, _ = open_source(source, bundle({name: how[name] for name in FILE if name in how})[0])
    inherited = {name: value for name, value in said.items() if name not in own}
    lost = _lost(inherited, set(table.columns))
    for name, column in lost.items():
        if name in ("time", "id"):
            continue
        warnings.warn(
            f"{table.name}: there is no column {column!r} for {name}, which the run has, so it is not known here; "
            "if it stands in another column, name that",
            ReadWarning,
            stacklevel=callers_level(),
        )
    if list(table.columns) == ["text"]:
        inherited.pop("text", None)  # bare texts have no other column
    return read(source, **{**ALL_OF_THEM, **_without(inherited, lost), **own})


def _lost(said: Mapping[str, Any], columns: set[str]) -> dict[str, str]:
    """What is read from columns that are not there: roles, groups and streams, and groups made from lost times."""
    lost = {role: said[role] for role in OPTIONAL if isinstance(said.get(role), str) and said[role] not in columns}
    for what in ("groups", "streams"):
        for name, column in _by_name(said.get(what, ())).items():
            if column not in columns and not (column in PERIODS and "time" not in lost):
                lost[name] = column
    return lost


def _without(said: Mapping[str, Any], lost: Mapping[str, str]) -> dict[str, Any]:
    out = {**said, **{role: False for role in OPTIONAL if role in lost}}
    for what in ("groups", "streams"):
        if what in out:
            out[what] = {name: column for name, column in _by_name(out[what]).items() if name not in lost}
    return out


def _by_name(named: Any) -> dict[str, str]:
    return dict(named) if isinstance(named, Mapping) else {name: name for name in named}
