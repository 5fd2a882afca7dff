"""The directory of an experiment: its settings, the corpus, and a small file for every finished cell of the table.

DIR/experiment.json             settings, and the hash of the corpus
DIR/corpus.safetensors          the corpus, for the workers
DIR/cells/ROW-REPEAT.json       the result of one fit, written atomically
DIR/table.md, table.csv ...     made from the cells, at any time
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitmanyor.corpus import Corpus
from pitmanyor.errors import FileError
from pitmanyor.experiments.settings import Settings
from pitmanyor.files import atomic_write

HEADER, CORPUS, CELLS = "experiment.json", "corpus.safetensors", "cells"
KIND, SCHEMA = "pitmanyor experiment", 1
Facts = dict[str, Any]


@dataclass(frozen=True)
class Home:
    """The directory of an experiment."""

    path: Path

    @property
    def cells(self) -> Path:
        return self.path / CELLS

    def settings(self) -> Settings:
        return Settings(**self._header()["settings"])

    def corpus(self) -> Corpus:
        return Corpus.load(self.path / CORPUS)

    def prepare(self, settings: Settings, corpus: Corpus) -> None:
        """Create the directory, or check that the existing one is of the same experiment."""
        if (self.path / HEADER).exists():
            self._compare(settings, corpus)
            return
        if self.path.exists() and not self._may_begin():
            raise FileError(f"{self.path}: already exists, and is not an experiment; choose another directory")
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.path}: no experiment can be put there ({error.strerror or error})") from error
        corpus.save(self.path / CORPUS)
        header = {"kind": KIND, "schema": SCHEMA, "settings": settings.to_json(), "corpus": corpus.content_hash}
        write_json(self.path / HEADER, header)  # last, because a directory without it has not begun

    def _may_begin(self) -> bool:
        """Whether the directory is empty, or has only what an interrupted start leaves behind."""
        return self.path.is_dir() and all(
            path.name in (CELLS, CORPUS) or path.name.endswith(".part") for path in self.path.iterdir()
        )

    def _compare(self, settings: Settings, corpus: Corpus) -> None:
        header = self._header()
        if differs := settings.differences(header["settings"]):
            raise FileError(
                f"{self.path}: has an experiment with {differs}; continue with its settings, or choose a new directory"
            )
        if header["corpus"] != corpus.content_hash:
            raise FileError(
                f"{self.path}: holds an experiment on another corpus; read the same posts with the same options, or "
                "choose a new directory"
            )

    def _header(self) -> Facts:
        header = read_json(self.path / HEADER)
        if header.get("kind") != KIND or header.get("schema") != SCHEMA:
            raise FileError(f"{self.path / HEADER}: not an experiment that this version of pitmanyor made")
        return header

    def cell_path(self, key: str, repeat: int) -> Path:
        return self.cells / f"{key}-{repeat}.json"

    def is_done(self, key: str, repeat: int) -> bool:
        return self.cell_path(key, repeat).exists()

    def n_repeats(self) -> int:
        """The largest number of repeats of any row."""
        found = [int(path.stem.rpartition("-")[2]) for path in self.cells.glob("*-*.json")]
        return 1 + max(found, default=-1)

    def write_cell(self, key: str, repeat: int, facts: Facts) -> None:
        write_json(self.cell_path(key, repeat), facts)

    def read_cells(self, key: str, repeats: int) -> list[Facts]:
        """The finished cells of a row, in the order of the repeats."""
        return [read_json(self.cell_path(key, r)) for r in range(repeats) if self.is_done(key, r)]


def write_json(path: Path, facts: Facts) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False).encode())


def read_json(path: Path) -> Facts:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise FileError(f"{path}: is not valid JSON ({error}); remove it, and its cell is computed again") from error
    if not isinstance(found, dict):
        raise FileError(f"{path}: holds no JSON object; remove it, and its cell is computed again")
    return found
