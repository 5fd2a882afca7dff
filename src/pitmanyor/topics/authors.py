"""Topic proportions of authors, or of any other grouping of documents."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.results.fitted import Fitted
from pitmanyor.topics.blocks import document_blocks

Floats = NDArray[np.float64]


@checked_call()
def author_shares(fit: Fitted, by: str = "author") -> tuple[list[Hashable], Floats]:
    """Labels of a grouping, and their topic proportions, one row per label.

    They are posterior means of the model's own node for the grouping. A model without such a node has proportions of
    documents only, which are then averaged.

    Parameters
    ----------
    fit
        A fit.
    by
        Grouping, such as "author".
    """
    plan = fit.state.plan
    nodes = [node.name for node in plan.nodes if node.plate == (by,) and node.side == "topic"]
    if nodes:
        return list(plan.instances[nodes[-1]].labels), fit.mean(nodes[-1], new_topic="renormalise")
    if by not in plan.corpus.groups:
        have = ", ".join(map(repr, plan.corpus.groups)) or "none"
        raise PlanError(f"the corpus has no column {by!r}; it has {have}")
    group = plan.corpus.groups[by]
    used, codes = np.unique(group.codes, return_inverse=True)
    total = np.zeros((len(used), fit.n_topics))
    for block in document_blocks(fit):
        np.add.at(total, codes[block.documents], block.shares)
    return [group.labels[code] for code in used], total / total.sum(axis=1, keepdims=True)
