"""Hidden links of the US Congress: popularity, neighbours, embeddings, logistic factorisation, text, and our models.

    python -m benchmarks.link_tables --seeds 1 2 3                                    the baselines, some CPU minutes
    python -m benchmarks.link_tables --graphs tntm tntm-text tntm-links --posts 60    models of pitmanyor
    python -m benchmarks.link_tables --print                                          the tables in Markdown

`--graphs` takes names of `pitmanyor.models`, from which `-text`, `-links`, `-own`, `-popularity` and `-reciprocity`
take away the text, the links, the links' own vectors, and the effects. Hidden are shares of the ordered pairs, or all
links to and from a tenth of the authors; seed by seed they are the same for every method. Every row is one line of a
JSON file; what is in there is not measured again, so that a run that was broken off goes on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.corpora import congress_core
from benchmarks.link_baselines import TEXTUAL, baselines
from benchmarks.link_cases import AUTHORS, HIDDEN, Case, split
from benchmarks.link_models import Effort, Fits, figures, fitted_row, named_graphs
from pitmanyor import Graph

RESULTS = Path(__file__).parent / "results" / "links.jsonl"
LINKS = ("follows", "mention", "retweet")
KEY = ("links", "posts", "hidden", "seed", "method", "sweeps", "text_sweeps")
MEASURES = {"auc": "AUC", "average_precision": "average precision", "perplexity": "perplexity"}
Row = dict[str, Any]


class Rows:
    """The rows of a JSON lines file; a last line that was cut off is dropped."""

    def __init__(self, file: Path) -> None:
        self.file = file
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        if lines and not lines[-1].endswith("\n"):
            file.write_text("".join(lines := lines[:-1]))
        self.rows: list[Row] = [json.loads(line) for line in lines]

    def has(self, key: Row) -> bool:
        return any(all(row.get(name) == key.get(name) for name in KEY) for row in self.rows)

    def of_other_posts(self, key: Row) -> Row | None:
        """The figures of the same method, pairs and seed with other posts."""
        same = [name for name in KEY if name != "posts"]
        return next((row for row in self.rows if all(row.get(name) == key.get(name) for name in same)), None)

    def add(self, row: Row) -> None:
        """Append a row, with six digits."""
        rounded = {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}
        self.rows.append(rounded)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as out:
            out.write(json.dumps(rounded) + "\n")


def baseline_rows(case: Case, key: Row, rows: Rows) -> None:
    """Everything that needs no topic model."""
    for method, scores in baselines(case.hashtags(), case.aside).items():
        mine = key | {"method": method}
        other = None if method in TEXTUAL else rows.of_other_posts(mine)
        if other is not None and not rows.has(mine):
            rows.add(other | mine)
        if not rows.has(mine):
            start = process_time()
            found = figures(case, scores(case.seen)[case.place()])
            rows.add(mine | {"cpu_seconds": process_time() - start} | found)


def model_rows(case: Case, key: Row, rows: Rows, graphs: dict[str, Graph], effort: Effort, fits: Fits) -> None:
    """Models of pitmanyor, each fitted to the posts and the links that are not hidden."""
    for name, graph in graphs.items():
        mine = key | {"method": name, "sweeps": effort.sweeps, "text_sweeps": effort.text_sweeps}
        if not rows.has(mine):
            rows.add(mine | fitted_row(graph, case, effort, key["seed"], fits))
            print(rows.rows[-1], flush=True)


def run(given: argparse.Namespace, rows: Rows) -> None:
    fits, effort = Fits(), Effort(given.sweeps, given.text_sweeps)
    for links in given.links:
        graphs = named_graphs(given.graphs, links)
        corpus = congress_core(links=links, posts=given.posts, tagged=True)
        if corpus is None:
            raise SystemExit("congress_follow is not at hand; set PITMANYOR_DATA (see benchmarks/DATA.md)")
        for seed, hidden in ((seed, hidden) for seed in given.seeds for hidden in given.hidden):
            case = split(corpus, links, hidden, seed)
            key = {"links": links, "posts": given.posts or "all", "hidden": hidden, "seed": seed}
            if graphs:
                model_rows(case, key, rows, graphs, effort, fits)
            else:
                baseline_rows(case, key, rows)


def table(rows: Iterable[Row], links: str, measure: str, posts: int | str) -> str:
    """Methods by what is hidden: means over seeds, with the largest distance of a seed from its mean.

    >>> row = {"links": "cites", "posts": 9, "hidden": "0.1", "method": "m"}
    >>> print(table([row | {"auc": 0.7}, row | {"auc": 0.8}], "cites", "auc", 9))
    | AUC, cites, at most 9 posts | 10 % |
    |---|---|
    | m | 0.750 ±0.050 |
    """
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if (row["links"], row["posts"]) == (links, posts) and measure in row:
            cells[_name(row)][row["hidden"]].append(row[measure])
    columns = sorted({column for found in cells.values() for column in found}, key=_order)
    title = f"{MEASURES[measure]}, {links}, {'all posts' if posts == 'all' else f'at most {posts} posts'}"
    lines = [f"| {title} | {' | '.join(map(_share, columns))} |", "|---|" + "---|" * len(columns)]
    for method, found in cells.items():
        lines.append(f"| {method} | {' | '.join(_cell(found.get(column, [])) for column in columns)} |")
    return "\n".join(lines)


def _name(row: Row) -> str:
    return row["method"] + (f", {row['sweeps']} sweeps" if "sweeps" in row else "")


def _order(hidden: str) -> float:
    return 2.0 if hidden == AUTHORS else float(hidden)


def _share(hidden: str) -> str:
    return "a tenth of the authors" if hidden == AUTHORS else f"{float(hidden):.0%}".replace("%", " %")


def _cell(values: list[float]) -> str:
    if not values:
        return ""
    digits = 3 if max(values) <= 1 else 1
    spread = f" ±{np.abs(np.array(values) - np.mean(values)).max():.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{spread}"


def tables(rows: Rows) -> str:
    """All tables for which there is a row."""
    kinds = dict.fromkeys(
        (row["links"], row["posts"], measure) for row in rows.rows for measure in MEASURES if measure in row
    )
    made = [table(rows.rows, links, measure, posts) for links, posts, measure in kinds]
    return "\n\n".join(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--links", nargs="+", choices=LINKS, default=LINKS)
    parser.add_argument("--hidden", nargs="+", choices=HIDDEN, default=HIDDEN)
    parser.add_argument("--posts", type=int, help="at most so many of every author; by default all with a hashtag")
    parser.add_argument("--graphs", nargs="+", default=[], help="models; by default the baselines are run")
    parser.add_argument("--sweeps", type=int, default=400)
    parser.add_argument("--text-sweeps", type=int, help="before the network joins; by default half of them")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="print the tables and stop")
    given = parser.parse_args()
    rows = Rows(given.results)
    if not given.print:
        run(given, rows)
    print(tables(rows))


if __name__ == "__main__":
    main()
