"""A corpus as a file and as a hash. Strings are stored in arrays as UTF-8 bytes and offsets, never as JSON lists."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus.flat_strings import Strings
from pitmanyor.corpus.parts import Grouping, LinkSet, Stream, frozen
from pitmanyor.corpus.read_report import ReadReport
from pitmanyor.errors import FileError
from pitmanyor.files import read_arrays, write_arrays

if TYPE_CHECKING:
    from pitmanyor.corpus.corpus import Corpus

KIND = "pitmanyor corpus"
SCHEMA = 1
Array = NDArray[Any]
# How a label that is no string is spelled and read again, exactly. The order is the code in the file.
KINDS: tuple[tuple[type, Any], ...] = (
    (str, str),
    (bool, "True".__eq__),
    (int, int),
    (float, float.fromhex),
    (type(None), lambda text: None),
)


def save(corpus: Corpus, path: str | os.PathLike[str]) -> None:
    header = {
        "kind": KIND,
        "schema": SCHEMA,
        "streams": list(corpus.streams),
        "groups": list(corpus.groups),
        "links": list(corpus.links),
        "report": corpus.report.to_json() if corpus.report else None,
    }
    arrays = to_arrays(corpus)
    if corpus.rows is not None:
        arrays["rows"] = corpus.rows
    if corpus.ids is not None:
        arrays |= {"ids/text": corpus.ids.data, "ids/ends": corpus.ids.ends}
    write_arrays(path, header, arrays)


def load(path: str | os.PathLike[str], mapped: bool = False) -> dict[str, Any]:
    """The fields of the corpus in a file."""
    header, arrays = read_arrays(path, mapped=mapped)
    if header.get("kind") != KIND:
        raise FileError(f"{path}: holds {header.get('kind')!r}, not a corpus; give a file that Corpus.save wrote")
    if header.get("schema") != SCHEMA:
        raise FileError(
            f"{path}: has schema {header.get('schema')!r} and this version of pitmanyor reads {SCHEMA}; "
            "use the version that wrote it, or read the posts again"
        )
    try:
        return _fields(header, arrays)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FileError(f"{path}: its parts do not fit together ({error!r}); it was not made by Corpus.save") from error


def content_hash(corpus: Corpus) -> str:
    digest = blake2b(digest_size=16)
    for name, array in sorted(to_arrays(corpus).items()):
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).data)
    return digest.hexdigest()


def to_arrays(corpus: Corpus) -> dict[str, Array]:
    """All content of a corpus as named arrays; provenance (rows, ids, report) is not content."""
    out: dict[str, Array] = {}
    _put_labels(out, "vocabulary", corpus.vocabulary)
    for name, stream in corpus.streams.items():
        out |= {f"stream/{name}/words": stream.words, f"stream/{name}/offsets": stream.offsets}
    for name, group in corpus.groups.items():
        out[f"group/{name}/codes"] = group.codes
        _put_labels(out, f"group/{name}/labels", group.labels)
    for name, links in corpus.links.items():
        out |= {f"link/{name}/sources": links.sources, f"link/{name}/targets": links.targets}
        if len(links.hidden):  # only then, so that a corpus without has the hash it always had
            out[f"link/{name}/hidden"] = links.hidden
        _put_labels(out, f"link/{name}/labels", links.labels)
    if corpus.times is not None:
        out["times"] = corpus.times.astype("datetime64[ms]").view(np.int64)
    return out


def _fields(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> dict[str, Any]:
    vocabulary = _labels(arrays, "vocabulary")
    if not all(isinstance(word, str) for word in vocabulary) or not header["streams"]:
        raise ValueError("words that are no text, or no stream of them")
    streams = {}
    for name in header["streams"]:
        words = _typed(arrays, f"stream/{name}/words", np.int32)
        offsets = _typed(arrays, f"stream/{name}/offsets", np.int64)
        _check_codes(words, len(vocabulary))
        if offsets[0] != 0 or offsets[-1] != len(words) or np.any(np.diff(offsets) < 0):
            raise ValueError(f"offsets of the stream {name!r}")
        streams[name] = Stream(frozen(words, np.int32), frozen(offsets, np.int64))
    sizes = {len(stream.offsets) for stream in streams.values()}
    groups = {}
    for name in header["groups"]:
        labels, codes = _labels(arrays, f"group/{name}/labels"), _typed(arrays, f"group/{name}/codes", np.int32)
        _check_codes(codes, len(labels))
        sizes.add(len(codes) + 1)
        groups[name] = Grouping(labels, frozen(codes, np.int32))
    links = {}
    for name in header["links"]:
        labels = _labels(arrays, f"link/{name}/labels")
        ends = [frozen(_typed(arrays, f"link/{name}/{end}", np.int32), np.int32) for end in ("sources", "targets")]
        _check_codes(np.stack(ends), len(labels))
        hidden = frozen(arrays.get(f"link/{name}/hidden", np.zeros((0, 2), np.int32)), np.int32)
        _check_codes(hidden, len(labels))
        if hidden.ndim != 2 or hidden.shape[1] != 2 or arrays.get(f"link/{name}/hidden", hidden).dtype != np.int32:
            raise ValueError(f"hidden pairs of the links {name!r}")
        links[name] = LinkSet(labels, ends[0], ends[1], hidden)
    times, rows = (_typed(arrays, name, np.int64) if name in arrays else None for name in ("times", "rows"))
    ids = _strings(arrays, "ids") if "ids/ends" in arrays else None
    if ids is not None:
        list(ids)  # every text can be read
    sizes |= {len(column) + 1 for column in (times, rows, ids) if column is not None}
    if len(sizes) != 1:
        raise ValueError("columns of different lengths")
    return {
        "vocabulary": vocabulary,
        "streams": streams,
        "groups": groups,
        "links": links,
        "times": None if times is None else frozen(times, np.int64).view("datetime64[ms]"),
        "rows": None if rows is None else frozen(rows, np.int64),
        "ids": ids,
        "report": ReadReport.from_json(header["report"]) if header["report"] else None,
    }


def _check_codes(codes: Array, n_labels: int) -> None:
    if codes.size and (codes.min() < 0 or codes.max() >= n_labels):
        raise ValueError("a code without a label")


def _put_labels(out: dict[str, Array], name: str, labels: Sequence[Hashable]) -> None:
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    kinds = [_kind(name, label) for label in plain]
    spelled = [label.hex() if isinstance(label, float) else str(label) for label in plain]
    strings = Strings.of(spelled)
    out |= {f"{name}/text": strings.data, f"{name}/ends": strings.ends}
    if any(kinds):
        out[f"{name}/kinds"] = np.array(kinds, np.uint8)


def _labels(arrays: Mapping[str, Array], name: str) -> tuple[Any, ...]:
    labels: tuple[Any, ...] = tuple(_strings(arrays, name))
    if f"{name}/kinds" in arrays:
        kinds = _typed(arrays, f"{name}/kinds", np.uint8).tolist()
        labels = tuple(KINDS[kind][1](text) for kind, text in zip(kinds, labels, strict=True))
    if len({(type(label), label) for label in labels}) != len(labels):
        raise ValueError(f"the same label twice in {name!r}")
    return labels


def _strings(arrays: Mapping[str, Array], name: str) -> Strings:
    return Strings(_typed(arrays, f"{name}/text", np.uint8), _typed(arrays, f"{name}/ends", np.int64)).check(name)


def _typed(arrays: Mapping[str, Array], name: str, dtype: type[np.generic]) -> Array:
    """An array of one dimension and of the type that `save` gives it."""
    array = arrays[name]
    if array.ndim != 1 or array.dtype != dtype:
        raise ValueError(f"{name!r} has shape {array.shape} and type {array.dtype}")
    return array


def _kind(name: str, label: Hashable) -> int:
    for kind, (type_, _) in enumerate(KINDS):
        if type(label) is type_:
            return kind
    raise FileError(f"{name}: a label of type {type(label).__name__} ({label!r}) cannot be saved; use text or numbers")
