"""Which column is the text, the author and so on: what was asked for, or a guess by name and by looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pitmanyor.corpus.read_report import Column
from pitmanyor.corpus.token_lists import RESERVED
from pitmanyor.errors import CorpusError
from pitmanyor.reading.chunks import Table
from pitmanyor.reading.plain_values import PERIODS, label_text, missing

Named = Sequence[str] | Mapping[str, Any]

# Names in the order of trust; case, blanks, dashes and underscores do not matter.
NAMES: dict[str, tuple[str, ...]] = {
    "text": ("text", "fulltext", "extendedtweet.fulltext", "tweet", "tweettext", "content", "body", "message", "post",
             "status", "selftext", "comment", "tokens", "document", "abstract", "description", "title"),
    "author": ("author", "authorid", "username", "screenname", "user.screenname", "user.username", "author.username",
               "user", "userid", "user.idstr", "user.id", "account", "handle", "from", "poster", "member",
               "creator", "name"),
    "tags": ("hashtags", "tags", "entities.hashtags[].tag", "entities.hashtags[].text", "hashtag", "tag"),
    "time": ("createdat", "created", "time", "timestamp", "datetime", "date", "createdutc", "publishedat", "published",
             "posted", "postedat"),
    "label": ("label", "class", "category", "event"),
    "id": ("id", "idstr", "tweetid", "statusid", "postid", "messageid", "documentid"),
}  # fmt: skip

MANY = 20  # values, none of which occurs twice, name the rows and not their authors


@dataclass(frozen=True)
class Wanted:
    """The columns to read: roles (text, author, ...), groups and streams, each a name and its column."""

    roles: dict[str, Column]
    groups: dict[str, str]
    streams: dict[str, str]
    retweet_columns: tuple[str, ...] = ()

    def listed(self) -> tuple[Column, ...]:
        """Every column and what it is read as, for the report."""
        groups = [Column(f"group {name}", column, guessed=False) for name, column in self.groups.items()]
        streams = [Column(f"stream {name}", column, guessed=False) for name, column in self.streams.items()]
        return (*self.roles.values(), *groups, *streams)

    def columns(self) -> list[str]:
        roles = [column.name for column in self.roles.values()]
        return list(dict.fromkeys([*roles, *self.groups.values(), *self.streams.values(), *self.retweet_columns]))


def find_columns(
    table: Table, asked: Mapping[str, Any], groups: Named, streams: Named
) -> tuple[Wanted, tuple[str, ...]]:
    """The columns to read, and the periods (day, month...) that are to be made groups."""
    sample = table.sample()
    if not any(len(values) for values in sample.values()):
        raise CorpusError(f"{table.name}: contains no posts; give at least one")
    named = {
        name: dict(some) if isinstance(some, Mapping) else {n: n for n in some}
        for name, some in (("groups", groups), ("streams", streams))
    }
    for what, some in named.items():
        if wrong := next((column for column in some.values() if not isinstance(column, str)), None):
            raise CorpusError(f"{what}= must name columns of {table.name}, and {wrong!r:.200} is not a name")
    claimed = [column for some in named.values() for column in some.values()]
    roles = choose(table.name, sample, asked, claimed)
    periods = tuple(n for n, column in named["groups"].items() if column in PERIODS and column not in sample)
    if periods and "time" not in roles:
        raise CorpusError(f"{table.name}: groups by {periods[0]!r} are made from times; name their column with time=")
    for what, some in named.items():
        for name, column in some.items():
            if name in (*RESERVED, *roles) or (what == "streams" and name in ("word", "hashtag")):
                raise CorpusError(f"{what}= may not use the name {name!r}, which is taken; choose another")
            if name not in periods:
                require(table.name, list(sample), column, what)
    plates = {name: column for name, column in named["groups"].items() if name not in periods}
    return Wanted(roles, plates, named["streams"]), periods


def with_columns(source: Any, asked: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """For texts in a list, `author=[...]` gives the values themselves: the list becomes a table."""
    given = {role: v for role, v in asked.items() if v is not None and not isinstance(v, str | bool)}
    if not given:
        return source, asked
    if not isinstance(source, Sequence) or isinstance(source, str) or (source and isinstance(source[0], Mapping)):
        raise CorpusError(f"{next(iter(given))}= must name a column of the source; only a list of texts takes values")
    names = asked | {role: role for role in given} | {"text": "text"}
    return {"text": source, **{role: list(values) for role, values in given.items()}}, names


def choose(
    table_name: str, sample: Mapping[str, Sequence[Any]], asked: Mapping[str, Any], claimed: Sequence[str] = ()
) -> dict[str, Column]:
    """The column of each role. `asked` has a name, None for a guess (not one that is claimed), or False for none."""
    columns = list(sample)
    out: dict[str, Column] = {}
    for role, name in asked.items():
        if name is False:
            continue
        if name is not None:
            require(table_name, columns, name, role)
            out[role] = Column(role, name, guessed=False)
    taken = {column.name for column in out.values()} | set(claimed)
    for role, name in asked.items():
        if name is None and role in NAMES:
            free = {c: values for c, values in sample.items() if c not in taken}
            guess = _guess(role, free) or _guess_beside(out.get("text"), role, free)
            if guess is not None:
                taken.add(guess)
                out[role] = Column(role, guess, guessed=True)
    if "text" not in out:
        raise CorpusError(
            f"{table_name}: none of its columns looks like the text ({_listed(columns)}); say which it is with text="
        )
    return {role: out[role] for role in asked if role in out}


def require(table_name: str, columns: Sequence[str], name: str, role: str) -> None:
    if name in columns:
        return
    near = get_close_matches(str(name), columns, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"the columns are {_listed(columns)}"
    raise CorpusError(f"{table_name}: there is no column {name!r} for {role}=; {hint}")


def _guess(role: str, sample: Mapping[str, Sequence[Any]]) -> str | None:
    plain = {column: _plain(column) for column in sample}
    for name in NAMES[role]:
        for column, called in plain.items():
            if called == name and _fits(role, sample[column]) and not (name == "name" and _names_rows(sample[column])):
                return column
    if role != "text":
        return None
    lengths = {column: _mean_length(values) for column, values in sample.items()}
    best = max(lengths, key=lambda column: lengths[column], default=None)
    return best if best is not None and lengths[best] > 0 else None


def _guess_beside(text: Column | None, role: str, sample: Mapping[str, Sequence[Any]]) -> str | None:
    """The column next to the text if every post is nested in an object, as in `data.text` of Twitter's stream."""
    if text is None or "." not in text.name:
        return None
    wrap = text.name.rpartition(".")[0] + "."
    inside = {column[len(wrap) :]: values for column, values in sample.items() if column.startswith(wrap)}
    guess = _guess(role, inside)
    return None if guess is None else wrap + guess


def _fits(role: str, values: Sequence[Any]) -> bool:
    """A column of the right name must also have something in it, and of the right kind."""
    known = [value for value in values if not missing(value) and not (isinstance(value, str | list) and not value)]
    if not known:
        return False
    if role == "text":
        return all(isinstance(value, str | list | tuple) for value in known)
    if role in ("tags", "author"):  # several authors of a post are refused with a sentence, not ignored
        return not any(isinstance(value, dict) for value in known)
    return not any(isinstance(value, dict | list | tuple) for value in known)


def _names_rows(values: Sequence[Any]) -> bool:
    """Whether a column called "name" names products, functions or places and not authors: no name occurs twice."""
    known = [label_text(value) for value in values if not missing(value) and not isinstance(value, list)]
    return len(known) >= MANY and len(set(known)) == len(known)


def _mean_length(values: Sequence[Any]) -> float:
    """Mean length of texts that have blanks; zero if it is no column of texts."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts or sum(" " in text.strip() for text in texts) < len(texts) / 2:
        return 0.0
    return sum(map(len, texts)) / len(texts)


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "").lstrip("\ufeff")


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(repr, columns[:30]))
    return f"{shown}, ..." if len(columns) > 30 else shown or "none"
