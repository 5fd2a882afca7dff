"""Everything that the page shows, as plain values for JSON."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.report.clean import clean
from pitmanyor.report.draft import draft_facts
from pitmanyor.report.group_facts import group_facts
from pitmanyor.report.people import AUTHOR, author_facts, link_facts, order_of
from pitmanyor.report.post_facts import post_facts
from pitmanyor.report.redact import without_names
from pitmanyor.report.texts import read_texts
from pitmanyor.report.times import time_facts
from pitmanyor.report.topic_facts import topic_facts
from pitmanyor.report.trust import trust_facts
from pitmanyor.report.view import Atlas, atlas_of
from pitmanyor.results.fitting import Fit
from pitmanyor.version import __version__


@checked_call()
def build_payload(
    fit: Fit,
    *,
    posts: Path | None = None,
    redact: bool = False,
) -> dict[str, Any]:
    """The content of a report. Panels for which there is no data (authors, links, times) are left out.

    Parameters
    ----------
    fit
        A fit.
    posts
        File with the texts, if it is no longer where it was read from.
    redact
        Replace authors by hashes, and leave texts out.
    """
    atlas = atlas_of(fit)
    topics, families = topic_facts(atlas)
    facts: dict[str, Any] = {"about": _about(atlas, redact), "topics": topics, "families": families}
    facts["trust"] = trust_facts(atlas, redact)
    if AUTHOR in fit.corpus.groups:
        order = order_of(atlas)
        facts["authors"] = author_facts(atlas, order, secrets.token_bytes(16) if redact else None)
        facts["network"] = link_facts(atlas, order)
    facts["times"] = time_facts(atlas)
    facts["draft"] = draft_facts(atlas)
    facts["groups"] = None if redact else group_facts(atlas)  # labels may be names
    if not facts["trust"]["intervals"]:
        _without_intervals(facts)
    if not redact:
        facts["posts"] = post_facts(atlas, read_texts(fit.corpus, posts))
    else:
        without_names(facts, fit.corpus)
    return {name: value for name, value in facts.items() if value is not None}


def _without_intervals(facts: dict[str, Any]) -> None:
    """Remove intervals if chains disagree, because those from the states of any chain would be far too narrow."""
    for some in (*facts["topics"], *(facts["groups"] or []), facts["times"] or {}):
        for part in ("low", "high"):
            some.pop(part, None)


def _about(atlas: Atlas, redact: bool) -> dict[str, Any]:
    """The header of the page: what was read, the model, and the time it took."""
    fit, corpus = atlas.fit, atlas.fit.corpus
    out: dict[str, Any] = {"documents": corpus.n_documents, "tokens": int(atlas.counts.sum())}
    out["words"] = len(np.unique(corpus.streams[atlas.main].words))
    if AUTHOR in corpus.groups:
        out["authors"] = len(np.unique(corpus.groups[AUTHOR].codes))
    if "hashtag" in corpus.streams:
        out["tags"] = len(np.unique(corpus.streams["hashtag"].words))
    if corpus.times is not None and not np.isnat(corpus.times).all():
        known = corpus.times[~np.isnat(corpus.times)]
        out |= {"first": str(known.min().astype("datetime64[D]")), "last": str(known.max().astype("datetime64[D]"))}
    if corpus.report is not None and not redact:
        out["source"] = clean(Path(corpus.report.source).name)
    out |= {
        "chains": len(fit.runs),
        "sweeps": fit.n_sweeps,
        "samples": len(fit.samples),
        "model": str(fit.graph),
        "redacted": redact,
    }
    return out | {"interval": atlas.spread.interval, "version": __version__}
