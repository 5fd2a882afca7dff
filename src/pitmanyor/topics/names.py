"""User-given names of topics and merges of topics, in a small JSON file in the run directory.

An entry lists topics that are shown as one, with a name, or null for an automatic name:

    {"format": "pitmanyor names 1", "n_sweeps": 500, "topics": [{"topics": [3, 7], "name": "health", "words": [...]}]}

Topics may be renumbered when a run is resumed. An entry therefore also stores the most likely words of each of its
topics, by which they are found again; a topic that is not found is dropped with a warning. A file that is written by
hand needs neither `words` nor `n_sweeps`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pitmanyor.call_checks import callers_level, checked_call
from pitmanyor.errors import FileError, PlanError, ReadWarning
from pitmanyor.files import atomic_write, open_regular
from pitmanyor.results.fitted import Fitted
from pitmanyor.runs.directory import NAMES

FORMAT = "pitmanyor names 1"
N_WORDS = 10  # words that identify a topic
AGREE = 5  # of them must agree
MAX_BYTES = 8 << 20


@dataclass(frozen=True)
class Entry:
    """Topics that are shown as one, and their name; None for an automatic name."""

    topics: tuple[int, ...]
    name: str | None = None


def read_names(fit: Fitted) -> list[Entry]:
    """Names and merges of a fit; none if it is not saved or has no such file."""
    path = None if fit.home is None else fit.home / NAMES
    if path is None or not path.exists():
        return []
    said = _load(path)
    entries = [_entry(path, one) for one in said.get("topics", [])]
    if said.get("n_sweeps", fit.n_sweeps) != fit.n_sweeps:
        entries = _moved(path, entries, said["topics"], fit)
    taken: set[int] = set()
    for entry in entries:
        for topic in entry.topics:
            if topic in taken or not 0 <= topic < fit.n_topics:
                raise FileError(f"{path}: topic {topic} is listed twice, or is not one of 0 to {fit.n_topics - 1}")
            taken.add(topic)
    return entries


@dataclass(frozen=True)
class Changes:
    """What to forget (topics, or "all"), merge (topics, and a name or None) and rename, applied in this order."""

    forget: Sequence[int] | Literal["all"] = ()
    merges: Sequence[tuple[Sequence[int], str | None]] = ()
    names: Mapping[int, str] = field(default_factory=dict)


def change(fit: Fitted, wanted: Changes) -> None:
    """Apply all changes, or none if any of them is invalid."""
    entries = read_names(fit)
    entries = [] if wanted.forget == "all" else _forgotten(fit, entries, wanted.forget)
    for topics, name in wanted.merges:
        entries = _merged(fit, entries, topics, name)
    for topic, name in wanted.names.items():
        entries = _renamed(fit, entries, topic, name)
    _write(fit, entries)


@checked_call()
def rename(fit: Fitted, names: Mapping[int, str]) -> None:
    """Give topics your own names, which are stored with the run.

    Parameters
    ----------
    fit
        A saved fit.
    names
        Names by topic number. Naming a member of a merged topic names the merged topic.
    """
    change(fit, Changes(names=names))


@checked_call()
def merge(fit: Fitted, topics: Sequence[int], name: str | None = None) -> None:
    """Show several topics as one in every output. The fit itself does not change.

    Parameters
    ----------
    fit
        A saved fit.
    topics
        Two topic numbers or more.
    name
        Name of the merged topic; by default an automatic one.
    """
    change(fit, Changes(merges=[(topics, name)]))


@checked_call()
def reset(fit: Fitted, topics: Sequence[int] | None = None) -> None:
    """Remove names and merges.

    Parameters
    ----------
    fit
        A saved fit.
    topics
        Topics to reset; by default all.
    """
    change(fit, Changes(forget="all" if topics is None else topics))


def _forgotten(fit: Fitted, entries: list[Entry], topics: Sequence[int]) -> list[Entry]:
    topics = _known(fit, topics)
    return [entry for entry in entries if not set(entry.topics) & set(topics)]


def _merged(fit: Fitted, entries: list[Entry], topics: Sequence[int], name: str | None) -> list[Entry]:
    topics = _known(fit, topics)
    if len(set(topics)) < 2:
        raise PlanError(f"merge takes two topics or more, not {list(topics)}")
    old = [entry for entry in entries if set(entry.topics) & set(topics)]
    members = sorted(set(topics).union(*(entry.topics for entry in old)))
    kept = next((entry.name for entry in old if entry.name is not None), None)
    both = Entry(tuple(members), kept if name is None else one_line(topics[0], name))
    return [entry for entry in entries if entry not in old] + [both]


def _renamed(fit: Fitted, entries: list[Entry], topic: int, name: str) -> list[Entry]:
    (topic,) = _known(fit, [topic])
    old = next((entry for entry in entries if topic in entry.topics), Entry((topic,)))
    return [entry for entry in entries if entry is not old] + [replace(old, name=one_line(topic, name))]


def one_line(topic: int, name: object) -> str:
    """A name in one line, without surrounding blanks."""
    clean = " ".join(str(name).split())
    if not clean:
        raise PlanError(f"the name of topic {topic} is empty; reset(fit, [{topic}]) restores its automatic name")
    return clean


def _known(fit: Fitted, topics: Iterable[int]) -> list[int]:
    """Topic numbers as plain ones, if they are those of topics."""
    known = [int(topic) for topic in topics]
    for topic in known:
        if not 0 <= topic < fit.n_topics:
            raise PlanError(f"there is no topic {topic}: they are numbered 0 to {fit.n_topics - 1}")
    return known


def _write(fit: Fitted, entries: list[Entry]) -> None:
    if fit.home is None:
        raise PlanError("names are kept with a saved run, and this fit is not saved: call fit.save(RUN) first")
    words = _likeliest(fit)
    said = [
        {"topics": list(entry.topics), "name": entry.name, "words": [words[topic] for topic in entry.topics]}
        for entry in sorted(entries, key=lambda entry: entry.topics)
    ]
    body = json.dumps({"format": FORMAT, "n_sweeps": fit.n_sweeps, "topics": said}, ensure_ascii=False, indent=1)
    with atomic_write(fit.home / NAMES) as file:
        file.write(body.encode("utf-8", "backslashreplace") + b"\n")


def _likeliest(fit: Fitted) -> list[list[str]]:
    return [[word for word, _ in topic] for topic in fit.topics(N_WORDS)]


def _load(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            said = json.loads(file.read(MAX_BYTES))
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: is not JSON ({error}); fix it, or delete it to remove all names") from error
    if not isinstance(said, dict) or said.get("format", FORMAT) != FORMAT or not isinstance(said.get("topics"), list):
        raise FileError(f'{path}: expected {{"topics": [{{"topics": [3, 7], "name": "health"}}]}}; fix or delete it')
    return said


def _entry(path: Path, said: Any) -> Entry:
    topics, name = (said.get("topics"), said.get("name")) if isinstance(said, dict) else (None, None)
    if not isinstance(topics, list) or not topics or not all(type(topic) is int for topic in topics):
        raise FileError(f'{path}: an entry is {{"topics": [3, 7], "name": "health"}}, not {said!r}')
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise FileError(f"{path}: a name is text or null, not {name!r}")
    words = said.get("words")
    if words is not None and not (isinstance(words, list) and all(map(_is_words, words))):
        raise FileError(f"{path}: words are a list of words for each topic, or left out, not {words!r}")
    return Entry(tuple(sorted(topics)), name)


def _is_words(said: Any) -> bool:
    return isinstance(said, list) and all(isinstance(word, str) for word in said)


def _moved(path: Path, entries: list[Entry], said: list[dict[str, Any]], fit: Fitted) -> list[Entry]:
    """Entries of an earlier state, with the present numbers of their topics."""
    now = [set(words) for words in _likeliest(fit)]
    taken: set[int] = set()
    out = []
    for entry, one in zip(entries, said, strict=True):
        found = []
        for words in one.get("words") or []:
            shared = [len(topic & set(words)) if k not in taken else 0 for k, topic in enumerate(now)]
            best = max(range(len(now)), key=shared.__getitem__)
            if shared[best] >= min(AGREE, len(words)):
                found.append(best)
                taken.add(best)
        if len(found) < len(entry.topics):
            what = entry.name or f"the merge of {list(entry.topics)}"
            warnings.warn(
                f"{path}: the run was resumed after its topics were named, and {len(entry.topics) - len(found)} of the "
                f"topics of {what!r} cannot be found any more; name them again",
                ReadWarning,
                stacklevel=callers_level(),
            )
        if found and (len(found) > 1 or entry.name):
            out.append(Entry(tuple(sorted(found)), entry.name))
    return out
