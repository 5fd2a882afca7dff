"""What to write instead of keywords that `fit` and `resume` do not have."""

from __future__ import annotations

import functools
from dataclasses import fields

from pitmanyor.call_checks import Hint
from pitmanyor.graph.topic_numbers import IN_FIT
from pitmanyor.reading.options import Options
from pitmanyor.runs.fit_options import Network, Sampler, Start


def _fields(kind: type, keyword: str) -> dict[str, Hint]:
    """Hints for the fields of a group of options."""
    return {field.name: functools.partial(_grouped, keyword, kind.__name__, field.name) for field in fields(kind)}


def _grouped(keyword: str, group: str, name: str, value: object) -> str:
    return f"pass {keyword}={group}({name}={value!r})"


def _of_read(name: str, value: object) -> str:
    return f"data are read before they are fitted: fit(graph, read(source, {name}={value!r:.50}))"


COLUMNS = ("text", "author", "tags", "time", "label", "id", "links", "groups", "streams", "vocabulary")
_SAVING: dict[str, Hint] = {"checkpoint": "it is called save_to", "checkpoint_every": "it is called save_every"}
FIT_HINTS: dict[str, Hint] = {
    **_fields(Sampler, "sampler"),
    **_fields(Start, "start"),
    **_fields(Network, "network"),
    **IN_FIT,
    **dict.fromkeys(("samples", "n_samples", "draws"), "it is called keep"),
    **dict.fromkeys(("iterations", "n_iter", "iter", "max_iter", "epochs"), "it is called sweeps"),
    **dict.fromkeys(("random_state", "random_seed"), "it is called seed"),
    **dict.fromkeys(("n_jobs", "workers"), "it is called threads"),
    **dict.fromkeys(("tune", "warmup", "burnin"), "it is called burn_in"),
    **dict.fromkeys(("verbose", "progressbar"), "it is called progress"),
    **{name: functools.partial(_of_read, name) for name in (*COLUMNS, *Options.__annotations__)},
    **_SAVING,
    "model": "it is called graph",
    "initial_topics": functools.partial(_grouped, "start", "Start", "topics"),
    "sweep": functools.partial(_grouped, "sampler", "Sampler", "kind"),
}
RESUME_HINTS: dict[str, Hint] = {
    "checkpoint_every": "it is called save_every",
    **dict.fromkeys(
        ("seed", "keep", "burn_in", "max_topics", "chains", "sampler", "start", "network", "preset", "save_to"),
        "the run keeps what its fit was asked for",
    ),
}
