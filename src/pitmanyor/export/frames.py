"""Tables as data frames, of the kind that the user brought."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, get_args

import numpy as np

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import PlanError
from pitmanyor.export.sheets import Table
from pitmanyor.export.tables import each_table, joined, prevalence_table, shares_columns
from pitmanyor.fold_in import TopicShares
from pitmanyor.results.fitting import Fit
from pitmanyor.topics import Prevalence

Kind = Literal["pandas", "polars", "pyarrow", "dict"]


@checked_call()
def table(
    what: Fit | TopicShares | Prevalence, name: str | None = None, *, kind: Kind | None = None, n_words: int = 20
) -> Any:
    """A table of a fit, of the result of `Fit.infer`, or of `prevalence`, as a data frame.

    Parameters
    ----------
    what
        A `Fit`, `TopicShares` or `Prevalence`.
    name
        Table of a fit: "topics" (default), "words", "documents" (with their ids), "authors", one for each grouping such
        as "by_party", "over_time", "links" or "trace".
    kind
        "pandas", "polars", "pyarrow", or "dict" for a dict of arrays. By default the kind of data frame that was read,
        otherwise the first of pandas and Arrow that is installed, otherwise a dict.
    n_words
        Number of words per topic in the table "words".

    >>> from pitmanyor import Corpus, fit, models
    >>> corpus = Corpus.from_tokens([["goal", "match"], ["bread", "oven"]] * 5)
    >>> result = fit(models.lda(2), corpus, sweeps=5, seed=1)
    >>> sorted(table(result, kind="dict"))[:4]
    ['high', 'interval', 'large', 'low']
    """
    _check_kind(kind)
    if isinstance(what, Fit):
        return as_frame(_of_fit(what, name or "topics", n_words), kind or _brought(what))
    if name is not None:
        raise PlanError(f"there is one table of {type(what).__name__}; leave {name!r} out")
    columns = prevalence_table(what) if isinstance(what, Prevalence) else _of_shares(what)
    return as_frame(columns, kind)


def _brought(fit: Fit) -> str | None:
    """The kind of data frame that was fitted, if it is supported and installed."""
    report = fit.corpus.report
    return report.frame if report and report.frame in get_args(Kind) and find_spec(report.frame) else None


@checked_call()
def as_frame(columns: Table, kind: str | None = None) -> Any:
    """Columns as a data frame.

    Parameters
    ----------
    columns
        Arrays by name.
    kind
        As in `table`; by default the first kind that is installed.
    """
    _check_kind(kind)
    kind = kind or next((one for one in ("pandas", "pyarrow") if find_spec(one)), "dict")
    if kind == "dict":
        return columns
    import narwhals as nw

    try:
        package = import_module(kind)
    except ImportError:
        raise PlanError(f"kind={kind!r} needs the package {kind}: pip install {kind}; or pass kind='dict'") from None
    plain = {name: column.tolist() if column.dtype.kind == "O" else column for name, column in columns.items()}
    return nw.from_dict(plain, backend=package).to_native()


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in get_args(Kind):
        raise PlanError(f"kind must be one of {', '.join(get_args(Kind))}, not {kind!r}")


def _of_fit(fit: Fit, name: str, n_words: int) -> Table:
    names = []
    for one, blocks in each_table(fit, n_words):
        if one == name:
            return joined(blocks)
        names.append(one)
    raise PlanError(f"there is no table {name!r} of this fit; there are {', '.join(names)}")


def _of_shares(found: TopicShares) -> Table:
    out: Table = {"document": np.arange(len(found.shares))}
    if found.ids is not None:
        out["id"] = np.array(list(found.ids), object)
    if found.rows is not None:
        out["row"] = found.rows
    return out | shares_columns(found.shares, found.topics)
