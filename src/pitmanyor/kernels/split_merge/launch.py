"""A first guess at a split: two topics fitted to some of the documents of one, to lean the proposal (maths 4).

The guess may depend on the tokens of the move, their documents and the anchors, and on nothing that differs between
the split and the merged state. It is a zero-order collapsed variational fit (Asuncion et al. 2009) of two topics.
"""

from __future__ import annotations

from pitmanyor.kernels.runtime.jit import inlined, kernel
from pitmanyor.kernels.split_merge.allocate import N_ANCHORS
from pitmanyor.kernels.split_merge.visits import stream_of

ROUNDS = 30
DOCUMENT_PRIOR = 0.1  # pseudo-tokens of either topic in a document
WORD_PRIOR = 50.0  # pseudo-tokens of either topic, distributed as the words of both are
UNDECIDED = -1.0


@kernel
def fit_launch(text, path, documents, launch, in_document):
    """Fit two topics to the tokens of a path, starting from the documents of the two anchors.

    `in_document` (visit, topic) is scratch. The first two visits are the anchors themselves, which stay where they are.
    All word counts are zero at the end, because all tokens are still seated.
    """
    share, n_visits, n = launch.share, len(documents), len(path.token)
    launch.counts[:], launch.totals[:], in_document[:] = 0.0, 0.0, 0.0
    for visit in range(n_visits):
        d = documents[visit]
        for i in range(path.bounds[visit], path.bounds[visit + 1]):
            at, s = _word(text, path, launch, d, i)
            share[i] = UNDECIDED
            if i < N_ANCHORS:
                share[i] = float(i)
            elif documents[0] != documents[1] and (d == documents[0] or d == documents[1]):
                share[i] = 0.0 if d == documents[0] else 1.0
            if share[i] != UNDECIDED:
                _add(launch, in_document, visit, at, s, share[i], 1.0)
    for _ in range(ROUNDS):
        for visit in range(N_ANCHORS, n_visits):
            for i in range(path.bounds[visit], path.bounds[visit + 1]):
                at, s = _word(text, path, launch, documents[visit], i)
                if share[i] != UNDECIDED:
                    _add(launch, in_document, visit, at, s, share[i], -1.0)
                share[i] = _second(launch, in_document, visit, at, s, launch.frequency[at] / n)
                _add(launch, in_document, visit, at, s, share[i], 1.0)
    launch.counts[:], launch.totals[:] = 0.0, 0.0


@inlined
def _word(text, path, launch, d, i):
    """Where a token's word counts, and its stream."""
    s = stream_of(text, d, path.token[i])
    return launch.offset[s] + text.word[path.token[i]], s


@inlined
def _add(launch, in_document, visit, at, s, share, sign):
    for which in range(2):
        x = sign * (share if which else 1.0 - share)
        launch.counts[at, which] += x
        launch.totals[s, which] += x
        in_document[visit, which] += x


@inlined
def _second(launch, in_document, visit, at, s, frequency):
    """The second topic's share of a token, given those of all others."""
    one = (in_document[visit, 0] + DOCUMENT_PRIOR) * (launch.counts[at, 0] + WORD_PRIOR * frequency)
    two = (in_document[visit, 1] + DOCUMENT_PRIOR) * (launch.counts[at, 1] + WORD_PRIOR * frequency)
    one, two = one * (launch.totals[s, 1] + WORD_PRIOR), two * (launch.totals[s, 0] + WORD_PRIOR)
    return two / (one + two)
