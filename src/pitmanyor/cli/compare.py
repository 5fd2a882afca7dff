"""Runs side by side: what each predicts, what its topics are like, and whether to trust it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitmanyor.cli.answers import Answer
from pitmanyor.cli.measure import Asked, plugged_in_measures, topic_quality
from pitmanyor.errors import PlanError

if TYPE_CHECKING:
    from pitmanyor.corpus import Corpus
    from pitmanyor.results.fitting import Fit

TITLES = {
    "perplexity": "perplexity",
    "coherence": "coherence (npmi)",
    "diversity": "diversity",
    "n_topics": "topics",
    "seconds": "seconds",
    "verdict": "verdict",
}
VERDICTS: dict[str, str] = {"trust": "trust", "care": "with care", "no": "not yet"}  # as the guide calls them


def compare_runs(paths: list[Path], asked: Asked, options: dict[str, Any]) -> Answer:
    """A row per run, the lowest perplexity first; `options` are those of `Fit.perplexity`."""
    from pitmanyor.results.fitting import load

    if len(paths) < 2:
        raise PlanError("compare takes two runs or more, such as: pitmanyor compare RUN_A RUN_B --test POSTS")
    fits = [load(path) for path in paths]
    rows = [_row(path, fit, asked, options) for path, fit in zip(paths, fits, strict=True)]
    if all("perplexity" in row for row in rows):
        rows.sort(key=lambda row: float(row["perplexity"]))
    notes = _notes(fits, asked.test is not None)
    next_ = [f"pitmanyor report {shlex.quote(rows[0]['run'])} -o report.html --open"]
    if asked.test is None:
        again = " ".join(shlex.quote(str(path)) for path in paths)
        next_.insert(0, f"pitmanyor compare {again} --test POSTS    # perplexity of posts that no run was fitted to")
    return Answer({"runs": rows, "notes": notes}, [_table(rows), *notes], next_)


def _row(path: Path, fit: Fit, asked: Asked, options: dict[str, Any]) -> dict[str, Any]:
    count, found = fit.topic_count(), fit.diagnose()
    row: dict[str, Any] = {"run": str(path), "model": ", ".join(node.name for node in fit.graph.nodes)}
    if asked.test is not None and fit.graph.streams:
        test = asked.test.read_later(fit)
        row["perplexity"] = _of_words(fit, test, options)
        row |= plugged_in_measures(fit, test, asked.measures)
    else:
        row |= plugged_in_measures(fit, None, asked.measures)
    quality = topic_quality(fit, asked) if fit.graph.streams else {}
    if quality:
        row |= {"coherence": quality["coherence"]["npmi"], "diversity": quality["diversity"]}
    row |= {"n_topics": count.n_large, "n_topics_90": [count.low, count.high], "seconds": fit.seconds}
    return row | {"sweeps": fit.n_sweeps, "chains": len(fit.runs), "verdict": found.verdict, "summary": found.summary}


def _of_words(fit: Fit, test: Corpus, options: dict[str, Any]) -> float:
    """The perplexity of the words alone, for models may differ in what else they have."""
    found = fit.perplexity(test, **options)
    return float(found.by_stream.get(fit.stream().name, found.total))


def _notes(fits: list[Fit], scored: bool) -> list[str]:
    """What keeps the rows from being compared."""
    first, said = fits[0].corpus, []
    if scored and any(fit.corpus.vocabulary != first.vocabulary for fit in fits[1:]):
        said.append("The runs have different vocabularies, so their perplexities cannot be compared.")
    if any(fit.corpus.content_hash != first.content_hash for fit in fits[1:]):
        said.append("The runs are of different corpora.")
    return said


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    more = [name for name in rows[0] if isinstance(rows[0][name], float) and name not in TITLES]
    shown = [name for name in (*TITLES, *more) if any(name in row for row in rows)]
    table = Table("run", *(TITLES.get(name, name) for name in shown))
    for row in rows:
        told = row | {"verdict": VERDICTS[row["verdict"]]}
        table.add_row(escape(row["run"]), *(escape(_cell(told.get(name))) for name in shown))
    return table


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:,.4g}" if isinstance(value, float) else str(value)
