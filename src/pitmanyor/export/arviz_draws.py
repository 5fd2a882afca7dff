"""The trace of one or several chains for ArviZ."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.call_checks import checked_call
from pitmanyor.errors import FileError, PlanError
from pitmanyor.results.fitting import Fit
from pitmanyor.version import __version__

STATS = {"log_joint": "lp"}
SKIP = ("network/accepted", "network/slice_steps")  # statistics of the sampler, stored beside the draws


@checked_call()
def to_arviz(chains: Fit | Sequence[Fit], burn_in: int | None = None) -> Any:
    """The draws of all chains, as an InferenceData (ArviZ below 1.0) or a DataTree of xarray (from 1.0).

    `posterior` has the number of topics; the concentration, tables and customers of every node; and sampled discounts.
    `sample_stats` has the log joint as `lp`, and statistics of the network's steps. Names are those of `Fit.trace` with
    underscores instead of slashes. Dimensions are chain and draw.

    Parameters
    ----------
    chains
        One fit or several of the same graph.
    burn_in
        Number of sweeps to discard; by default half. Longer chains are cut to the length of the shortest.
    """
    fits = [chain for fit in ([chains] if isinstance(chains, Fit) else chains) for chain in fit.chains]
    groups = _groups(fits, burn_in)
    try:
        import xarray
    except ImportError:
        raise PlanError("ArviZ's format needs xarray and arviz: pip install 'pitmanyor[arviz]'") from None
    about = {"inference_library": "pitmanyor", "inference_library_version": __version__}
    sets = {
        name: xarray.Dataset({key: (("chain", "draw"), values) for key, values in part.items()}, attrs=about)
        for name, part in groups.items()
    }
    kind = _inference_data()
    return xarray.DataTree.from_dict(sets) if kind is None else kind(**sets)


@checked_call()
def write_arviz(chains: Fit | Sequence[Fit], path: str | os.PathLike[str], burn_in: int | None = None) -> None:
    """Write the draws as netCDF, for `arviz.from_netcdf(path)`.

    Parameters
    ----------
    chains, burn_in
        As in `to_arviz`.
    path
        File to write.
    """
    made = to_arviz(chains, burn_in)
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        made.to_netcdf(str(part), engine="h5netcdf")
        os.replace(part, target)
    except ImportError:
        raise PlanError("netCDF files need h5netcdf: pip install 'pitmanyor[arviz]'") from None
    except OSError as error:
        raise FileError(f"{target}: not written ({error.strerror or error})") from error
    finally:
        part.unlink(missing_ok=True)


def _groups(fits: list[Fit], burn_in: int | None) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Values by group and name, of shape (chain, draw)."""
    if not fits or any(fit.graph != fits[0].graph for fit in fits):
        raise PlanError("chains are one or several fits of the same graph")
    shortest = min(fit.n_sweeps for fit in fits)
    burn_in = shortest // 2 if burn_in is None else burn_in
    if not 0 <= burn_in < shortest:
        raise PlanError(f"burn_in leaves no sweep: the shortest chain has {shortest}, and {burn_in} are to be left out")
    traces: list[Mapping[str, NDArray[np.float64]]] = [fit.trace for fit in fits]
    out: dict[str, dict[str, NDArray[np.float64]]] = {"posterior": {}, "sample_stats": {}}
    for name in traces[0]:
        values = np.stack([trace[name][-(shortest - burn_in) :] for trace in traces])
        beside = name in STATS or name.startswith(SKIP)
        out["sample_stats" if beside else "posterior"][STATS.get(name, name.replace("/", "_"))] = values
    return out


def _inference_data() -> Any:
    """ArviZ's own class, for versions that have it."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # it warns about its next version
        try:
            import arviz
        except ImportError:
            return None
    return getattr(arviz, "InferenceData", None)
