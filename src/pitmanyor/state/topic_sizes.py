"""The number of topics: the one definition of what people are shown.

A nonparametric posterior has a long tail of topics with a handful of tokens each, which come and go from sweep to
sweep. The number of columns in use therefore says little, and it is never the headline. A topic is *large*, and counts,
if it holds

    50 tokens, but at least 0.1 % and at most 0.5 % of all tokens,

which is 0.5 % of a corpus of up to 10,000 tokens, 50 tokens of one of up to 50,000, and 0.1 % of any larger one. No
single share would do: 0.1 % of a thousand tweets is one tweet, and no more than 200 topics can hold 0.5 % each. The
effective number of topics, exp of the entropy of their sizes, needs no threshold and is reported beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
LEAST_TOKENS = 50
LEAST_SHARE, MOST_SHARE = 0.001, 0.005  # of all tokens, between which the threshold lies


def least_tokens(n_tokens: int) -> float:
    """The number of tokens that a topic needs in order to be large.

    >>> [least_tokens(n) for n in (1_000, 20_000, 1_000_000)]
    [5.0, 50, 1000.0]
    """
    return min(max(LEAST_TOKENS, LEAST_SHARE * n_tokens), MOST_SHARE * n_tokens)


def least_share(n_tokens: int) -> float:
    """The same as a share of the tokens."""
    return least_tokens(n_tokens) / max(n_tokens, 1)


def is_large(sizes: Numbers) -> NDArray[np.bool_]:
    """Which topics are large, given the number of tokens of each.

    >>> is_large(np.array([900, 94, 5, 1, 0])).tolist()
    [True, True, True, False, False]
    """
    return np.asarray((sizes > 0) & (sizes >= least_tokens(int(sizes.sum()))))


def effective_number(sizes: Numbers) -> float:
    """exp of the entropy of the topics' shares of the tokens: as many topics of equal size are as spread out.

    >>> round(effective_number(np.array([1, 1, 2, 0])), 3)
    2.828
    """
    held = sizes[sizes > 0] / max(sizes.sum(), 1)
    return float(np.exp(-(held * np.log(held)).sum()))
