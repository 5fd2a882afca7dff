"""The paper's tables on the real corpora at hand (docs/results): what is read, with which settings, in order of worth.

`python -m benchmarks.paper_tables OUT` makes them all, in OUT/TABLE each; started again it goes on where it was, with
more `--repeats` too. `--tables` chooses some, and `--share 0.25` takes a quarter of every author's or label's posts.
`--leave lda10_burst lda20_burst` leaves rows of these keys for another time.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.corpora import DATA
from pitmanyor import Corpus, read
from pitmanyor.experiments.data import without_words
from pitmanyor.experiments.home import Home
from pitmanyor.experiments.run import run_experiment
from pitmanyor.experiments.settings import Kind, Settings

TERMS = {
    "congress_generic": "veterans climate education agriculture housing space opioid medicare broadband music",
    "congress_specific": "obama pelosi mcconnell china iran israel google nasa venezuela usps",
}  # what the posts were found by; those of crisislex_events are the words of its labels
CORE = "author in (select author from '{data}/authors.parquet' where core150)"
TAGGED = "len(hashtags) > 0"
MOST_SENSITIVE = 20  # posts of every author in the table with sixteen rows
MIN_DF = 5
LONG, LONG_OF_ALL = 600, 400  # sweeps; after 600 no model moved by more than a third of what the nearest two differ by


@dataclass(frozen=True)
class Posts:
    """Some posts of a corpus: a condition, what every share is taken of, and at most how many of each."""

    name: str
    where: str = "true"
    by: str = "author"
    most: int = 1 << 30
    links: bool = False
    drop: bool = False

    def read(self, place: Path, share: float) -> Corpus:
        """Select posts, the same ones whenever asked, and read them as any user would."""
        data, file = DATA / self.name, place / "posts.parquet"
        where = self.where.format(data=data)
        place.mkdir(parents=True, exist_ok=True)
        duckdb.sql(
            f"""select * exclude (place, n) from (
                select *, row_number() over (partition by {self.by} order by md5(id)) as place,
                    count(*) over (partition by {self.by}) as n
                from '{data}/documents.parquet' where {where}
            ) where place <= least(ceil({share} * n), {self.most}) order by id"""
        ).write_parquet(str(file))
        options: dict[str, Any] = {"text": "tokens", "tags": "hashtags", "time": "created_at", "min_df": MIN_DF}
        if self.by == "label":
            options["label"] = "label"
        if self.name != "crisislex_events":  # which has no authors
            options["author"] = "author"
        if self.links:
            edges = duckdb.sql(f"select src, dst from '{data}/edges.parquet' where src <> dst order by src, dst")
            options["links"] = edges.fetchall()
        corpus = read(str(file), **options)
        return without_words(corpus, self._terms(corpus)) if self.drop else corpus

    def _terms(self, corpus: Corpus) -> list[str]:
        """The query terms; of events, the words of the labels in singular and plural."""
        words = TERMS.get(self.name, "").split()
        if not words:
            labels = " ".join(map(str, corpus.groups["label"].labels)).lower()
            said = set(re.findall("[a-z]+", labels))
            words = sorted({form for word in said for form in (word, word.rstrip("s"), f"{word}s")})
        known = set(corpus.vocabulary)
        return [word for word in words if word in known]


@dataclass(frozen=True)
class Table:
    """An experiment: its kind, its posts, and its sweeps."""

    kind: Kind
    posts: Posts
    sweeps: int


def _tables() -> dict[str, Table]:
    tagged = Posts("congress_follow", f"{CORE} and {TAGGED}", links=True)
    core = Posts("congress_follow", CORE, links=True)
    few = Posts("congress_follow", f"{CORE} and {TAGGED}", most=MOST_SENSITIVE, links=True)
    out = {"fit-tagged": Table("fit", tagged, LONG), "ablation-tagged": Table("ablation", tagged, LONG)}
    for name in ("congress_specific", "congress_generic", "crisislex_events"):
        short = name.rpartition("_")[2]
        out[f"clustering-{short}-dropped"] = Table("clustering", Posts(name, by="label", drop=True), 200)
        out[f"clustering-{short}"] = Table("clustering", Posts(name, by="label"), 200)
    out["labels"] = Table("labels", Posts("congress_follow", TAGGED, links=True), LONG)
    out["sensitivity"] = Table("sensitivity", few, LONG)
    return out | {"fit-all": Table("fit", core, LONG_OF_ALL), "ablation-all": Table("ablation", core, LONG_OF_ALL)}


TABLES = _tables()


def make(
    name: str,
    out: Path,
    share: float,
    repeats: int,
    workers: int | None,
    sweeps: int | None,
    leave: Sequence[str] = (),
) -> None:
    table = TABLES[name]
    corpus = table.posts.read(out / "posts" / name, share)
    settings = Settings(table.kind, sweeps=sweeps or table.sweeps)
    if table.kind == "ablation":
        _take_over(out / name.replace("ablation", "fit"), Home(out / name), settings, corpus)
    run_experiment(corpus, out / name, settings, repeats=repeats, workers=workers, leave=leave, tell=_told(name))


def _told(name: str) -> Callable[[str], None]:
    return lambda text: print(f"{name}: {text}", flush=True)


def _take_over(fits: Path, home: Home, settings: Settings, corpus: Corpus) -> None:
    """The TNTM of the one table is the full model of the other: the same graph, split and seeds, fitted once."""
    home.prepare(settings, corpus)
    other = Home(fits)
    if not (fits / "experiment.json").exists() or other.settings().sweeps != settings.sweeps:
        return
    if other.corpus().content_hash == corpus.content_hash:
        for cell in other.read_cells("tntm", 100):
            home.write_cell("full", cell["repeat"], cell | {"row": "full"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--share", type=float, default=1.0, help="of every author's or label's posts")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, help="processes side by side")
    parser.add_argument("--sweeps", type=int, help="instead of those of each table")
    parser.add_argument("--leave", nargs="+", default=(), help="rows that are not fitted now")
    args = parser.parse_args()
    for name in args.tables:
        make(name, args.out, args.share, args.repeats, args.workers, args.sweeps, args.leave)


if __name__ == "__main__":
    main()
