"""`read`: from a messy export to a corpus, with a report of what was done."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from pitmanyor.call_checks import callers_level, checked_call
from pitmanyor.call_kinds import check_as
from pitmanyor.corpus import Corpus
from pitmanyor.corpus.parts import frozen
from pitmanyor.corpus.read_report import Column, ReadReport
from pitmanyor.errors import CorpusError, ReadWarning
from pitmanyor.files import file_checksum
from pitmanyor.reading.badlines import BadLines
from pitmanyor.reading.build import build, keep_links
from pitmanyor.reading.columns import Named, Wanted, find_columns, with_columns
from pitmanyor.reading.gather import Gather
from pitmanyor.reading.links import Links, read_links
from pitmanyor.reading.marks import RETWEET_COLUMNS
from pitmanyor.reading.matrix import is_matrix, posts_of_matrix
from pitmanyor.reading.option_kinds import check_columns
from pitmanyor.reading.options import FileOptions, FilterOptions, Options, TextOptions, alike, bundle
from pitmanyor.reading.posts import Posts
from pitmanyor.reading.sources import open_source
from pitmanyor.reading.spool import spooling


@checked_call(values=False)
def read(
    source: Any,
    *,
    text: str | None = None,
    author: Any = None,
    tags: str | bool | None = None,
    time: str | bool | None = None,
    label: Any = None,
    id: str | bool | None = None,  # noqa: A002
    links: Any = None,
    groups: Named = (),
    streams: Named = (),
    vocabulary: Sequence[str] | None = None,
    save_to: str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Corpus:
    """Read posts into a Corpus.

    Columns that are not named are guessed. What was guessed, what was removed and why is in `Corpus.report`, which
    `Corpus.describe` prints.

    Parameters
    ----------
    source
        A path (CSV, TSV, JSON Lines, Parquet, or one post per line in .txt; text files may be gzipped), several paths
        in a list, a pattern such as "posts-?.csv", a data frame or one of its columns, a dict of columns, a list of
        texts, token lists or dicts, or a sparse matrix of counts with `vocabulary`.
    text
        Column with the text, or with lists of tokens, which are used as they are. Nested columns are written as
        `user.name` or `entities.hashtags[].tag`, here and below.
    author
        Column with the author; False if there is none.
    tags
        Column with hashtags; False if there is none. Hashtags in the text are found as well.
    time
        Column with the time; False if there is none. Dates and times may be written as in ISO 8601, e-mail, Git or
        Twitter, as 31/12/2018, 12/31/18, 31-12-2018, 31.12.2018 or Dec 31, 2018, or as numbers: years, days such as
        20181231, or seconds or milliseconds since 1970. Times without a zone are taken as UTC.
    label
        Column with a class, for evaluation; False if there is none.
    id
        Column with an identifier, which tables of documents repeat; False if there is none.
    links
        A source of links between authors (pairs, a path or a data frame), or a dict of several by name.
    groups
        More columns to group documents by (a list, or a dict from names to columns), each of which is a plate. With
        times also "year", "month", "week", "day" and "hour".
    streams
        More columns of tokens, each of which is a stream (a list, or a dict from names to columns).
    vocabulary
        Words of the columns of a matrix of counts.
    save_to
        File to write, for a source that is larger than memory. Tokens go to files beside it while they are read, and
        the corpus stays in the file, as by `Corpus.load(save_to, mapped=True)`. Some 60 bytes per post stay in memory,
        and every distinct word.
    options
        Any option of `FileOptions`, `TextOptions` and `FilterOptions`, such as `min_df=5`.

    >>> corpus = read([{"text": "Fresh #bread from the oven", "user": "ann"}, {"text": "Oven bread!", "user": "bob"}])
    >>> corpus
    Corpus(2 documents, 5 tokens, 3 words, streams: word, hashtag, groups: author)
    >>> print(corpus.report)
    Read 2 posts from the given list
      columns: text = 'text' (guessed), author = 'user' (guessed)
      stop words: words of the English list: removed 2 tokens
    """
    file, how, keep = bundle(options)
    asked = {"text": text, "author": author, "tags": tags, "time": time, "label": label, "id": id}
    check_columns(asked, groups, streams)
    check_as("save_to", save_to, "str | os.PathLike | None", CorpusError)
    said: dict[str, Any] = {**asked, **options} | ({"groups": groups} if groups else {})
    said |= {"streams": streams} if streams else {}
    with spooling(save_to) as home:
        if is_matrix(source):
            found = _read_matrix(source, vocabulary, asked, groups)
        else:
            found = _read_table(source, (asked, groups, streams), (file, how, keep), home)
        if "missing_author" not in options:
            found = found._replace(surprises=(*found.surprises, *_without_author(found)))
        corpus = _finish(found, _networks(links, file, found.posts), how, keep)
        assert corpus.report is not None
        corpus = replace(corpus, report=replace(corpus.report, options=alike(said)))
        if save_to is None:
            return corpus
        corpus.save(save_to)
    return Corpus.load(save_to, mapped=True)


MANY_WITHOUT_AUTHOR = 0.05  # share of posts above which a warning says that they are left out
SHOWN = 8  # columns that are not read


class _Found(NamedTuple):
    """Posts, and what to report about them."""

    posts: Posts
    bad: BadLines
    columns: tuple[Column, ...] = ()
    periods: tuple[str, ...] = ()
    surprises: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    frame: str = ""


def _read_table(
    source: Any,
    names: tuple[dict[str, Any], Named, Named],
    options: tuple[FileOptions, TextOptions, FilterOptions],
    home: Path | None,
) -> _Found:
    asked, groups, streams = names
    file, how, keep = options
    source, asked = with_columns(source, asked)
    table, bad = open_source(source, file)
    wanted, periods = find_columns(table, asked, groups, streams)
    if keep.retweets == "drop":
        wanted = replace(wanted, retweet_columns=tuple(c for c in RETWEET_COLUMNS if c in table.columns))
    gather = Gather(wanted, file, how, keep, bad, home)
    for chunk in table.chunks(wanted.columns()):
        gather.add(chunk)
    posts = gather.posts()
    if "ids" in posts.marks and keep.duplicates == "error" and posts.marks["ids"].any():
        again = int(posts.marks["ids"].sum())
        raise CorpusError(
            f"{bad.place(int(posts.lines[posts.marks['ids']][0]))}, column {wanted.roles['id'].name!r}: duplicate id "
            f"({again:,} line{'s' * (again > 1)}). Pass duplicates='drop' to keep the first of each id, 'keep' to keep "
            "all, or id=False if the column is not an id"
        )
    files = tuple(map(str, table.files))
    surprises = (*table.notes, *gather.surprises(posts))
    notes = (*_unread(table.columns, wanted), *gather.notes(posts))
    return _Found(posts, bad, wanted.listed(), periods, surprises, notes, files, table.frame)


def _unread(columns: Sequence[str], wanted: Wanted) -> list[str]:
    """A note that names the columns of a source that nothing was read from."""
    used = set(wanted.columns())
    rest = [column for column in columns if column not in used]
    if not rest:
        return []
    more = f" and {len(rest) - SHOWN:,} more" if len(rest) > SHOWN else ""
    return [f"columns not read: {', '.join(map(repr, rest[:SHOWN]))}{more}"]


def _without_author(found: _Found) -> list[str]:
    """A warning if many posts have no author and `missing_author` was not given."""
    if "author" not in found.posts.codes:
        return []
    n, of = int((found.posts.codes["author"] < 0).sum()), found.posts.n_posts
    if n <= MANY_WITHOUT_AUTHOR * of:
        return []
    return [
        f"{found.bad.source}: {n:,} of {of:,} posts have no author and are left out; keep them as those of one unknown "
        "author with missing_author='keep', read all posts without authors with author=False, or leave them out "
        "knowingly with missing_author='drop'"
    ]


def _read_matrix(source: Any, vocabulary: Sequence[str] | None, asked: Mapping[str, Any], groups: Named) -> _Found:
    given = {name: values for name, values in asked.items() if values is not None and values is not False}
    if set(given) - {"author", "label"} or not isinstance(groups, Mapping | tuple):
        raise CorpusError("with a matrix, give labels of its rows by author=, label= and groups={name: labels} only")
    columns = given | (dict(groups) if isinstance(groups, Mapping) else {})
    return _Found(posts_of_matrix(source, vocabulary, columns), BadLines("the matrix", skip=False))


def _finish(found: _Found, networks: Mapping[str, Links], how: TextOptions, keep: FilterOptions) -> Corpus:
    linked = frozenset(str(end) for one in networks.values() for end in one.links.labels) if networks else None
    corpus, filters = build(found.posts, how, keep, linked, found.periods)
    links, notes, surprises = {}, list(found.notes), list(found.surprises)
    for name, network in networks.items():
        links[name], n_unknown = keep_links(corpus, network.links)
        notes += network.notes
        if not n_unknown:
            continue
        known = dict.fromkeys(corpus.groups["author"].labels)
        stranger = next(label for label in network.links.labels if label not in known)
        if not len(links[name]):
            raise CorpusError(
                f"links {name!r}: all {n_unknown:,} links are of authors without posts, such as {stranger!r}, whereas "
                f"authors with posts have names such as {next(iter(known))!r}; use the same names in both"
            )
        gone = f"left out {n_unknown:,} of authors who have no posts in the corpus, such as {stranger!r}"
        surprises.append(f"links {name!r}: {gone}")
    for surprise in surprises:
        warnings.warn(surprise, ReadWarning, stacklevel=callers_level())
    report = ReadReport(
        source=found.bad.source,
        files=found.files,
        checksums=tuple(map(file_checksum, found.files)),
        frame=found.frame,
        n_read=found.posts.n_posts,
        columns=found.columns,
        filters=tuple(filters),
        notes=(*surprises, *notes),
        n_bad_lines=found.bad.count,
        bad_lines=tuple(found.bad.first),
    )
    rows = corpus.rows if found.files or corpus.rows is None else frozen(corpus.rows - 1, np.int64)
    return replace(corpus, links=links, report=report, rows=rows)


def _networks(links: Any, file: FileOptions, posts: Posts) -> dict[str, Links]:
    if links is None:
        return {}
    if "author" not in posts.labels:
        raise CorpusError("links= are between authors, and there is no author column; name it with author=")
    by_name = links if isinstance(links, Mapping) else {"follows": links}
    return {name: read_links(one, file, posts.labels["author"]) for name, one in by_name.items()}
