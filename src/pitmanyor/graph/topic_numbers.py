"""What to write for a number of topics where a function does not take one."""

from __future__ import annotations

from pitmanyor.call_checks import Hint

NAMES = ("n_topics", "num_topics", "n_components", "topics", "k", "K", "T")  # in this and in other packages


def fixed_number(n_topics: object) -> str:
    """What to write for a number of topics.

    >>> fixed_number(7)[-74:]
    'for a fixed number fit models.lda(7), for an upper bound pass max_topics=7'
    """
    return (
        "The number of topics is part of the model or inferred from the data: for a fixed number fit "
        f"models.lda({n_topics}), for an upper bound pass max_topics={n_topics}"
    )


def _inferred(n_topics: object) -> str:
    return (
        "this model infers the number of topics; for an upper bound write "
        f"fit(graph, corpus, max_topics={n_topics}), for a fixed number models.lda({n_topics})"
    )


IN_FIT: dict[str, Hint] = dict.fromkeys(NAMES, fixed_number)
IN_MODELS: dict[str, Hint] = dict.fromkeys(NAMES, _inferred)
