"""The legend of a table: how its numbers were made, and how reliable they are."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import TYPE_CHECKING

from pitmanyor.errors import PlanError
from pitmanyor.experiments.home import Facts
from pitmanyor.experiments.summary import SIGNIFICANT
from pitmanyor.graph import Graph

if TYPE_CHECKING:
    from pitmanyor.experiments.result_tables import Table

SPLIT = ("fit", "ablation", "sensitivity")  # tables for which posts are held out


def legend(table: Table) -> list[str]:
    said = [*_runs(table), *_held(table), *_network(table), *_discounts(table), *_missing(table), *_convergence(table)]
    return [f"- {line}" for line in said] + ["", "Settings: " + _settings(table) + "."]


def _runs(table: Table) -> list[str]:
    settings, reference, n = table.settings, table.lines[-1].row.title, table.repeats
    lines = ["↓ less is better, ↑ more is better. CPU seconds are of the fit, with compiling where nothing was cached."]
    if n == 1:
        lines.append(f"One run of {settings.sweeps} sweeps with seed {settings.seed}: no deviation, no test.")
    else:
        seeds = f"seeds {settings.seed} to {settings.seed + n - 1}"
        lines.append(f"Mean ± standard deviation of {n} runs ({seeds}) of {settings.sweeps} sweeps each.")
    if n > 1 and len(table.lines) > 1:
        lines.append(f"\\* differs from *{reference}*: paired t test over the seeds, p < {SIGNIFICANT}, not adjusted.")
    return lines


def _held(table: Table) -> list[str]:
    settings, graph = table.settings, table.lines[-1].row.graph
    if settings.kind not in SPLIT:
        return ["Fitted to all posts. NPMI, diversity and the number of topics are of large topics."]
    whose = "every author's posts" if "nu" in graph else "the posts"
    pairs = f" and {settings.held_links:.0%} of the pairs of authors are" if _holds_links(table) else " are"
    lines = [f"One split for all: {settings.test:.0%} of {whose}{pairs} held out."]
    given = "Half of the words of a held-out post are given"
    if len(graph.streams) == 1:
        lines.append(f"{given}, the others are scored.")
    else:
        lines.append(f"{given}. Hashtags are scored given those, the other words given both.")
    if settings.kind == "fit" and len(graph.streams) > 1:
        lines.append(
            "Models that emit hashtags and words from the same distributions do not know which of the two a token is, "
            "the others are told. *Tokens with their streams* is fair to both: all predict token and stream."
        )
    return lines


def _holds_links(table: Table) -> bool:
    return bool(table.lines[-1].row.graph.link_sets and table.settings.held_links)


def _network(table: Table) -> list[str]:
    if table.settings.kind not in SPLIT or not table.lines[-1].row.graph.link_sets:
        return []
    sweeps, alone = table.settings.sweeps, [line.row.title for line in table.lines if _links_alone(line.row.graph)]
    text = sweeps // 2
    said = f"Models of text and network sample text alone for {text} sweeps and both for {sweeps - text}."
    more = f" *{alone[0]}* samples the network in all {sweeps}, so it has had more of them." if alone else ""
    pairs = "the pairs that were not held out" if _holds_links(table) else "all pairs"
    return [said + more, f"The network log-likelihood is of {pairs}."]


def _links_alone(graph: Graph) -> bool:
    return not graph.streams


def _discounts(table: Table) -> list[str]:
    """Rows grouped by their discounts."""
    rows: dict[str, list[str]] = {}
    for line in table.lines:
        if not line.row.missing:
            rows.setdefault(line.row.discounts, []).append(f"*{line.row.title}*")
    return ["Discounts: " + "; ".join(f"{said} ({', '.join(titles)})" for said, titles in rows.items()) + "."]


def _missing(table: Table) -> list[str]:
    missing = [f"{line.row.title}: {line.row.missing}" for line in table.lines if line.row.missing]
    begun = {line.row.title: len(line.cells) for line in table.lines if not line.row.missing}
    open_ = [f"{title} {n} of {table.repeats}" for title, n in begun.items() if n < table.repeats]
    out = ["n/a: " + "; ".join(missing) + "."] if missing else []
    notes = dict.fromkeys(note for line in table.lines for cell in line.cells for note in cell.get("notes", ()))
    out += [f"{note[0].upper()}{note[1:]}." for note in notes]
    return out + (["**Not finished**: " + ", ".join(open_) + "."] if open_ else [])


def _convergence(table: Table) -> list[str]:
    drifts = {line.row.title: d for line in table.lines if (d := drift(line.cells)) is not None}
    said = []
    if drifts:
        worst = max(drifts, key=lambda title: drifts[title])
        said.append(
            "Convergence: from the third to the last quarter of the sweeps the log joint moved most for "
            f"*{worst}*, by {drifts[worst]:.3f} nats a token."
        )
    try:
        hats = {line.row.title: r for line in table.lines if (r := rhat(line.cells)) is not None}
    except PlanError as error:  # the package that computes it is not installed
        return [*said, f"No R-hat: {error}."]
    if hats:
        worst = max(hats, key=lambda title: hats[title])
        said.append(
            "R-hat of the log joint over the repeats, in the second half of the sweeps, is at most "
            f"{hats[worst]:.2f} (*{worst}*); 1 is right, and above 1.05 they have not come to the same place."
        )
    return said


def drift(cells: Iterable[Facts]) -> float | None:
    """How far the log joint still moved, in nats per token: its mean over the last quarter minus the quarter before."""
    moves = []
    for cell in cells:
        values = cell["trace"]["log_joint"]
        quarter = len(values) // 4
        if quarter and cell.get("tokens"):
            last, before = fmean(values[-quarter:]), fmean(values[-2 * quarter : -quarter])
            moves.append(abs(last - before) / cell["tokens"])
    return fmean(moves) if moves else None


def rhat(cells: list[Facts]) -> float | None:
    """R-hat of the log joint over the repeats; None for one repeat, for few sweeps, or if it does not move."""
    if len(cells) < 2:
        return None
    from pitmanyor.evaluate.convergence import FEWEST, judged

    traces = [{"log_joint": cell["trace"]["log_joint"]} for cell in cells]
    if min(len(trace["log_joint"]) for trace in traces) < 2 * FEWEST:
        return None
    found = judged(traces, discard=0.5)
    return found[0].rhat if found else None


def _settings(table: Table) -> str:
    """The settings that this table used."""
    settings = table.settings
    unused = set() if settings.kind in SPLIT else {"test"}
    unused |= set() if settings.kind in SPLIT and _holds_links(table) else {"held_links"}
    alone = any(_links_alone(line.row.graph) and not line.row.missing for line in table.lines)
    unused |= set() if alone else {"network_topics"}
    said = settings.to_json().items()
    return ", ".join(f"{name} {value}" for name, value in said if value is not None and name not in unused)
