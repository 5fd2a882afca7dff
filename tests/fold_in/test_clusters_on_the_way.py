"""Along documents of tens of tokens, clusters have the labels that their tokens ask for, and every share is counted."""

from unittest.mock import patch

import numpy as np
import pytest

from fold_in.test_weights_on_the_way import N_HELD, new_documents
from kernels.documents.exact import replaced
from pitmanyor import models
from pitmanyor.kernels.documents.clusters import cluster_draw, cluster_folding, cluster_seats
from pitmanyor.kernels.documents.fold_sweeps import Sweeps
from pitmanyor.kernels.documents.topic_nodes.explicit import lines_of, row_of_token
from pitmanyor.sampling.explicit_sweep import Explicit
from pitmanyor.state.engines import ClusterNodes

pytestmark = pytest.mark.nojit

GRAPHS = {
    "hpyp": models.hpyp(),
    "lda": models.lda(N_HELD),
    "tntm": models.tntm().without("follows"),
}
KEPT = 6


def expected_labels(arrays, clusters, document, n_slots):
    """The labels of every cluster from its tokens alone, each row summing to one, and the number of its tokens."""
    net, text, rows, (d, frame, _, _) = arrays.franchise.net, arrays.text, arrays.scratch, document
    labels, sizes = np.ones((n_slots, frame.n_held)), np.zeros(n_slots, int)
    for h in range(frame.n_bases, n_slots):
        base = int(rows.bases[2 * int(clusters.base[h]) + 1])
        if base >= 0:
            labels[h] = net.stay[base : base + frame.n_held]
    n_streams = text.leaf.shape[1]
    first = int(text.first[d * n_streams])
    for s in range(n_streams):
        lines = lines_of(net, text, arrays.words, text.context[d], s)
        for i in range(int(text.first[d * n_streams + s]), int(text.first[d * n_streams + s + 1])):
            row, h = int(row_of_token(net, text, lines, np.uint64(i))), int(rows.seat[i - first])
            labels[h] *= net.stay[row : row + frame.n_held]
            sizes[h] += 1
    return labels / labels.sum(axis=1, keepdims=True), sizes


def check(name: str) -> None:
    """Fold documents in; look at the labels before they are made anew, and at what all sweeps add up to."""
    state = new_documents(GRAPHS[name])
    refresh, seen = cluster_folding.refresh, []

    def watched(arrays, clusters, document, n_slots):
        rows, frame, stride = arrays.scratch, document.frame, int(clusters.stride[0])
        labels, sizes = expected_labels(arrays, clusters, document, n_slots)
        for again in (False, True):
            if again:
                refresh(arrays, clusters, document, n_slots)
            for h in range(frame.n_bases, n_slots):
                assert rows.tokens[h] == sizes[h]
                assert all(rows.reals[r * int(frame.width) + h] == 0.0 for r in range(frame.n_bases))
                if sizes[h]:
                    found = clusters.labels[h * stride : h * stride + frame.n_held]
                    assert found.sum() == pytest.approx(clusters.mass[h], rel=1e-9)
                    assert found / found.sum() == pytest.approx(labels[h], rel=1e-9)
                    seen.append(sizes[h])

    with patch.object(cluster_folding, "refresh", watched):
        explicit = Explicit(state, 1, ClusterNodes(state.plan))
        stream = next(s for s, one in enumerate(state.plan.graph.streams) if one.name == "word")
        means = explicit.fold(state, stream, Sweeps(9, 9 - KEPT, 9, 9 - KEPT, 1, True))
    assert len(seen) > 50 and max(seen) > 5
    assert means.shares.sum(axis=1) == pytest.approx(KEPT // 4 * 4, rel=1e-3)
    assert (means.errors >= 0).all() and means.errors.max() < 0.5


@pytest.mark.parametrize("name", GRAPHS)
def test_labels_are_those_of_the_tokens(name):
    check(name)


BUGS = {
    "labels stay when a token joins": cluster_seats.enter,
    "labels stay when a token leaves": cluster_seats.exit_from,
    "clusters stay open to others from above": cluster_draw.settle,
    "labels are not made anew": cluster_seats.rejoin,
    "what is owed is forgotten": cluster_seats.pay,
    "chances are not counted": cluster_draw.count_by_chance,
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_show(bug):
    with replaced(BUGS[bug], lambda *arguments: None), pytest.raises(AssertionError), np.errstate(all="ignore"):
        check("tntm")
