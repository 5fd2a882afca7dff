"""Tables of what `benchmarks.congress` measured, in Markdown: run `python -m benchmarks.congress_report`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.congress import RESULTS
from benchmarks.corpora import DATA

PARTS = {
    "tntm": "TNTM",
    "text": "text alone, cosine of $\\nu$",
    "alone": "network alone, 10 topics",
}


def spread(values: list[float], digits: int) -> str:
    """The mean over seeds, and the least and the largest."""
    if not values:
        return ""
    low, high = (f"{value:,.{digits}f}" for value in (min(values), max(values)))
    return f"{np.mean(values):,.{digits}f} ({low} to {high})"


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def last(record: dict[str, Any], part: str, name: str) -> float:
    return float(record[part]["points"][-1][name])


def comparison(records: list[dict[str, Any]]) -> list[str]:
    """AUC, network log-likelihood, topics and time of the three."""
    out = [
        row("", "seeds", "held-out AUC, average", "last state", "AUC of seen pairs", "log p(links)", "topics", "CPU s"),
        row("---", *["---:"] * 7),
    ]

    def every(part: str, of: Callable[[dict[str, Any]], float], digits: int) -> str:
        return spread([of(record) for record in records if "auc_of_average" in record.get(part, {})], digits)

    for part, title in PARTS.items():
        cells = [every(part, lambda r, part=part: r[part]["auc_of_average"], 3)]
        for name, digits in (("auc", 3), ("auc_seen", 3), ("log_likelihood", 0), ("topics", 0)):
            cells.append(every(part, lambda r, part=part, name=name: last(r, part, name), digits))
        cells.append(every(part, lambda r, part=part: median_cpu(r[part]["points"]), 2))
        n = sum("auc_of_average" in record.get(part, {}) for record in records)
        out.append(row(title, n, *cells))
    for name in records[0]["reference"]:
        values = [record["reference"][name] for record in records]
        out.append(row(name, len(values), spread(values, 3), *[""] * 5))
    return out


def median_cpu(points: list[dict[str, float]]) -> float:
    return float(np.median([point["cpu_seconds_a_sweep"] for point in points]))


def trajectory(record: dict[str, Any], parts: tuple[str, ...] = ("first", "tntm", "text")) -> list[str]:
    names = ("sweeps", "topics", "log_joint", "auc", "auc_seen", "log_likelihood", "customers/nu")
    digits = dict.fromkeys(names, 0) | {"auc": 3, "auc_seen": 3}
    out = [row("run", *names), row("---", *["---:"] * len(names))]
    for part in parts:
        for point in record.get(part, {"points": []})["points"]:
            out.append(row(part, *(f"{point[name]:,.{digits[name]}f}" for name in names)))
    return out


def topics(record: dict[str, Any], part: str = "tntm", most: int = 25) -> list[str]:
    out = [row("share", "hashtags", "words"), row("---:", "---", "---")]
    for topic in record[part].get("topics", [])[:most]:
        tags = ", ".join(f"#{word}" for word in topic["hashtag"])
        out.append(row(f"{topic['share']:.1%}", tags, ", ".join(topic["word"])))
    return out


def nearest(record: dict[str, Any], most: int = 12) -> list[str]:
    """Whom some authors are nearest to, by each fit; and how many of all nearest are of the same party."""
    import pyarrow.parquet as pq

    table = pq.read_table(DATA / "congress_follow" / "authors.parquet").to_pydict()
    who = {a: f"{n} ({p})" for a, n, p in zip(table["author"], table["name"], table["party"], strict=True)}
    party = dict(zip(table["author"], table["party"], strict=True))
    parts = [part for part in PARTS if "nearest" in record.get(part, {})]
    out = [row("author", *parts), row("---", *["---"] * len(parts))]
    for author in list(record[parts[0]]["nearest"])[:: max(150 // most, 1)][:most]:
        out.append(row(who[author], *(who[record[part]["nearest"][author]] for part in parts)))
    same = [np.mean([party[a] == party[b] for a, b in record[part]["nearest"].items()]) for part in parts]
    return [*out, row("same party, of all 150", *(f"{value:.0%}" for value in same))]


def main() -> None:
    for share in ("", "-share-*"):
        files = sorted(RESULTS.glob(f"seed-?{share}.json"))
        records = [json.loads(file.read_text()) for file in files]
        for record in records if not share else []:
            record |= json.loads((RESULTS / f"links-{record['settings']['seed']}.json").read_text())
        if not records:
            continue
        print("\n".join(["", f"## {', '.join(file.stem for file in files)}", "", *comparison(records)]))
        for file, record in zip(files, records, strict=True):
            print("\n".join(["", f"### {file.stem}", "", *trajectory(record)]))
            if "topics" in record.get("tntm", {}):
                print("\n".join(["", *topics(record), "", *nearest(record)]))


if __name__ == "__main__":
    main()
