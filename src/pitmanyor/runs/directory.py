"""A run on disk: a directory with a JSON header, the corpus, the last state, and the states that were kept."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from pitmanyor.call_checks import callers_level
from pitmanyor.corpus import Corpus
from pitmanyor.errors import FileError, GraphError, SaveWarning
from pitmanyor.files import atomic_write, open_regular
from pitmanyor.graph import Graph
from pitmanyor.machine import move_directory, process_tag, remove_abandoned
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.version import __version__

KIND, SCHEMA = "pitmanyor run", 3
HEADER, CORPUS, STATE, SAMPLE = "header.json", "corpus.safetensors", "state.safetensors", "sample-{:08d}.safetensors"
SAMPLES = "sample-*.safetensors"
CHAIN, CHAIN_NAME = "chain-{}", re.compile(r"chain-(\d+)")  # where one of several chains is
NAMES = "names.json"  # what people call the topics (topics/names.py); of no concern to the chain
MAX_BYTES = 8 << 20
MOST_NAMED = 10  # chains that are missing
DIGITS = 64
CHECKSUM = re.compile(rb'"checksum": "([0-9a-f]{%d})"' % DIGITS)
Place = str | os.PathLike[str]


@dataclass(frozen=True)
class Header:
    """What a run is: its graph, its settings, which corpus, and who wrote it."""

    graph: Graph
    settings: Settings
    corpus_hash: str
    run: str
    version: str

    def with_settings(self, settings: Settings) -> Header:
        return replace(self, settings=settings)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": KIND,
            "schema": SCHEMA,
            "version": self.version,
            "run": self.run,
            "corpus": self.corpus_hash,
            "settings": self.settings.to_json(),
            "graph": self.graph.to_dict(),
        }


def new_header(graph: Graph, settings: Settings, corpus: Corpus) -> Header:
    return Header(graph, settings, corpus.content_hash, secrets.token_hex(8), __version__)


def refuse_existing(path: Place) -> Path:
    """The place of a run that is to be made; a FileError if there is something."""
    target = Path(path)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        how = f"pitmanyor.resume({str(path)!r}) (on the command line: pitmanyor resume {target})"
        go_on = f", or continue the run with {how}" if _is_run(target) else ""
        raise FileError(f"{target}: already exists; choose another directory{go_on}")
    return target


def _is_run(place: Path) -> bool:
    return (place / HEADER).is_file() or any(place.glob(f"{CHAIN.format('*')}/{HEADER}"))


def create(path: Place, headers: Sequence[Header], corpus: Corpus) -> list[Path]:
    """Make the directory of a run, or of several chains side by side, and return those of the chains.

    It is made all at once: whoever finds it finds all headers and the corpus in it.
    """
    target = refuse_existing(path)
    remove_abandoned(target.parent, f".{target.name}.")
    making = target.with_name(f".{target.name}.{process_tag()}{secrets.token_hex(4)}.part")
    try:
        for place, header in zip(_places(making, headers), headers, strict=True):
            place.mkdir(parents=True)
            corpus.save(place / CORPUS)
            write_header(place, header)
        move_directory(making, target)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{target}: no run can be made there ({error.strerror or error})") from error
    finally:
        with suppress(OSError):
            shutil.rmtree(making)
    return _places(target, headers)


def _places(home: Path, headers: Sequence[Header]) -> list[Path]:
    """One chain is the run itself; several are side by side in it."""
    return [home] if len(headers) == 1 else [home / CHAIN.format(header.settings.chain) for header in headers]


def write_header(path: Place, header: Header) -> None:
    """The header with a checksum over every byte of it (its own digits as zeros)."""
    body = json.dumps({"checksum": "0" * DIGITS} | header.to_json(), indent=2, allow_nan=False).encode() + b"\n"
    digest = blake2b(body, digest_size=DIGITS // 2).hexdigest().encode()
    with atomic_write(Path(path) / HEADER) as file:
        file.write(CHECKSUM.sub(b'"checksum": "' + digest + b'"', body, count=1))


def read_header(path: Place) -> Header:
    """The header of a run; a FileError if there is none, or one byte of it is not as written."""
    place = Path(path) / HEADER
    try:
        with open_regular(place) as file:
            body = file.read(MAX_BYTES + 1)
    except FileError:
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileError(f"{path}: not a run: it has no {HEADER}; give the directory that a fit wrote") from error
    except OSError as error:
        raise FileError(f"{place}: cannot be read ({error.strerror or error})") from error
    found = CHECKSUM.search(body[:200])
    blank = body if found is None else body[: found.start(1)] + b"0" * DIGITS + body[found.end(1) :]
    if found is None or blake2b(blank, digest_size=DIGITS // 2).hexdigest().encode() != found[1]:
        raise FileError(f"{place}: its checksum does not match: the file is cut or changed; take an older copy")
    return _parse(place, body)


def _parse(place: Path, body: bytes) -> Header:
    try:
        said = json.loads(body)
        kind, schema = said["kind"], said["schema"]
        if kind == KIND and schema == SCHEMA:
            settings = Settings.from_json(said["settings"])
            names = [said[name] for name in ("corpus", "run", "version")]
            if not all(isinstance(name, str) for name in names):
                raise TypeError("a name that is no text")
            return Header(Graph.from_dict(said["graph"]), settings, *names)
    except (KeyError, TypeError, ValueError, RecursionError, GraphError) as error:
        raise FileError(f"{place}: makes no sense ({error}); it was not written by pitmanyor") from error
    raise FileError(
        f"{place}: is {kind!r} of schema {schema!r}, and this version of pitmanyor reads {KIND!r} of schema {SCHEMA}; "
        "use the version that wrote it, which the header names"
    )


def find_runs(path: Place) -> list[Path]:
    """The runs at a path: itself, or the chains side by side in it, by their numbers."""
    home = Path(path)
    found = {child: CHAIN_NAME.fullmatch(child.name) for child in home.glob("chain-*")}
    named = {int(name[1]): child for child, name in found.items() if name}
    chains = {number: child for number, child in sorted(named.items()) if (child / HEADER).is_file()}
    if not chains or (home / HEADER).exists():
        return [home]
    for child in chains.values():
        if child.is_symlink():
            raise FileError(f"{child}: is a symbolic link, and none is followed inside a run; put the chain there")
    gaps = (number for number in range(min(named), max(named) + 1) if number not in chains)
    if missing := list(islice(gaps, MOST_NAMED)):
        names = ", ".join(map(CHAIN.format, missing))
        warnings.warn(
            f"{path}: {names} missing or without {HEADER}; the others are taken",
            SaveWarning,
            stacklevel=callers_level(),
        )
    return list(chains.values())
