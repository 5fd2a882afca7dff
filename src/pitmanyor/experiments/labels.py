"""The paper's table of topics: the most likely hashtags of each as its label, with its words."""

from __future__ import annotations

from pitmanyor.experiments.home import Facts
from pitmanyor.experiments.result_tables import Table, csv_text

SHOWN = 20  # topics on the page; the CSV has all


def best_cell(table: Table) -> Facts | None:
    """The repeat with the highest final log joint; topic indices are not comparable across chains."""
    cells = table.lines[-1].cells
    return max(cells, key=lambda cell: cell["trace"]["log_joint"][-1], default=None)


def labels_markdown(cell: Facts) -> str:
    if not cell["labels"]:
        return f"No topic of seed {cell['seed']} is large, so none is shown.\n"
    lines = ["| share | hashtags | words |", "|---:|---|---|"]
    for topic in cell["labels"][:SHOWN]:
        lines.append(f"| {topic['share']:.1%} | {', '.join(topic['hashtags'])} | {', '.join(topic['words'])} |")
    more = len(cell["labels"]) - SHOWN
    said = f"The {min(SHOWN, len(cell['labels']))} largest topics" + (f" of {len(cell['labels'])}" if more > 0 else "")
    return "\n".join([f"{said} of seed {cell['seed']}, whose log joint is the highest.", "", *lines]) + "\n"


def labels_csv(cell: Facts) -> str:
    rows = [["topic", "share", "hashtags", "words"]]
    for k, topic in enumerate(cell["labels"]):
        rows.append([str(k), repr(topic["share"]), " ".join(topic["hashtags"]), " ".join(topic["words"])])
    return csv_text(rows)
