"""All figures of a fit as files."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

from pitmanyor.call_checks import checked_call
from pitmanyor.figures.author_network import draw_authors
from pitmanyor.figures.heat import author_heat_map
from pitmanyor.figures.topic_table import topic_table
from pitmanyor.figures.traces import traces
from pitmanyor.files import atomic_write, made_directory
from pitmanyor.results.fitting import Fit
from pitmanyor.topics.counts import streams_of

DPI = 200


@checked_call()
def write_figures(
    fit: Fit,
    directory: str | os.PathLike[str],
    formats: Sequence[str] = ("pdf", "png"),
) -> list[Path]:
    """Write the figures for which a fit has data to a directory; returns the paths.

    Parameters
    ----------
    fit
        A fit.
    directory
        Directory; created if it does not exist.
    formats
        File formats that matplotlib can write.
    """
    home = made_directory(directory)
    corpus = fit.state.plan.corpus
    made = {"traces": traces(fit)}
    if streams_of(fit):
        made["topics"] = topic_table(fit)
    if "author" in corpus.groups:
        made["authors"] = author_heat_map(fit)
        if any(len(links) for links in corpus.links.values()):
            made["network"] = draw_authors(fit)
    paths = []
    for name, figure in made.items():
        for kind in formats:
            body = io.BytesIO()
            # no date in the file: the same fit gives the same bytes
            figure.savefig(body, format=kind, dpi=DPI, metadata={"CreationDate": None} if kind == "pdf" else None)
            paths.append(home / f"{name}.{kind}")
            with atomic_write(paths[-1]) as file:
                file.write(body.getvalue())
    return paths
