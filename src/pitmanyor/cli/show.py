"""Commands that look: topics and state of a run, and the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pitmanyor import machine, plugins
from pitmanyor.cli.answers import Answer
from pitmanyor.errors import FileError
from pitmanyor.version import __version__

if TYPE_CHECKING:
    from pitmanyor.results.fitting import Fit

ABOUT = ("topic", "name", "members", "share", "large", "found_by")  # all that is said of a topic but its words
PACKAGES = ("numpy", "numba", "llvmlite", "duckdb", "narwhals", "rich", "typer")


def show_topics(path: Path, n_words: int) -> Answer:
    from pitmanyor.results.fitting import load

    fit = load(path)
    facts = topic_facts(fit, n_words)
    shown = [topic_table(facts, len(fit.runs)), f"{fit.topic_count()}."]
    if len(fit.runs) > 1:
        shown.append(f"Topics of chain {fit.run.settings.chain}, which agree best with those of the others.")
    name = shlex.quote(str(path))
    next_ = [
        f"pitmanyor label {name} --rename {facts[0]['topic']}=NAME    # names of your own, in every output",
        f"pitmanyor infer {name} NEW_POSTS -o shares.csv    # topic shares of new documents",
        f"pitmanyor export {name} -o OUT    # every table",
    ]
    next_ = next_ if fit.graph.streams else []
    return Answer({"run": str(path), "n_sweeps": fit.n_sweeps} | count_facts(fit) | {"topics": facts}, shown, next_)


def count_facts(fit: Fit) -> dict[str, Any]:
    """The number of topics for `--json`, everywhere under the same names."""
    count = fit.topic_count()
    return {
        "n_topics": count.n_large,
        "n_topics_90": [count.low, count.high],
        "effective_topics": count.effective,
        "small_topics": count.n_small,
        "small_topics_share": count.small_share,
        "chains": len(fit.runs),
    }


def topic_facts(fit: Fit, n_words: int) -> list[dict[str, Any]]:
    """Topics by share of the tokens: number, name, members, share, and the likeliest words of every stream."""
    import numpy as np

    from pitmanyor.topics import view
    from pitmanyor.topics.counts import streams_of
    from pitmanyor.topics.grouped_words import group_words
    from pitmanyor.topics.standing import chains_that_found, large_topics, shown_sizes

    if not fit.graph.streams:  # links alone: a topic is as large as it is to those who are linked
        return _shares_of_links(fit)
    shown = view(fit)
    counts, large, found = shown_sizes(fit, shown), large_topics(fit, shown), chains_that_found(fit, shown)
    words = {name: group_words(fit, name, shown.members, n_words) for name in streams_of(fit)}
    return [
        {"topic": shown.topics[k], "name": shown.names[k], "members": list(shown.members[k])}
        | {"share": float(counts[k] / max(counts.sum(), 1)), "large": bool(large[k])}
        | ({} if found is None else {"found_by": found[k]})
        | {name: [{"word": w, "probability": p} for w, p in best[k]] for name, best in words.items()}
        for k in np.argsort(-counts, kind="stable").tolist()
    ]


def _shares_of_links(fit: Any) -> list[dict[str, Any]]:
    """Topics without words: their shares of the linked vectors, and those who have most of each."""
    import numpy as np

    node = fit.graph.link_sets[0].between
    nu = fit.mean(node)
    plate, labels = next(iter(fit.axes(node).items()))
    shares, most = nu.mean(axis=0), np.argsort(-nu, axis=0, kind="stable")[:8]
    return [
        {"topic": int(k), "name": f"topic {k}", "members": [int(k)], "share": float(shares[k]), "large": True}
        | {plate: [{"word": str(labels[i]), "probability": float(nu[i, k])} for i in most[:, k]]}
        for k in np.argsort(-shares, kind="stable")
    ]


def topic_table(facts: list[dict[str, Any]], n_chains: int = 1, n_shown: int | None = None) -> Any:
    """The large topics, or the `n_shown` largest, with the number of chains that found each if there are several."""
    from rich.markup import escape  # a word in brackets is no command
    from rich.table import Table

    streams = [name for name in facts[0] if name not in ABOUT]
    streams.sort(key=lambda name: name != "word")
    chains = ["found by"] if "found_by" in facts[0] else []
    table = Table("topic", "share", *chains, "name", *(f"likeliest {name}s" for name in streams))
    for topic in [topic for topic in facts if topic["large"]][:n_shown]:
        lists = [", ".join(entry["word"] for entry in topic[name]) for name in streams]
        found = [f"{topic['found_by']} of {n_chains}"] if chains else []
        table.add_row(str(topic["topic"]), f"{topic['share']:.1%}", *found, *map(escape, (topic["name"], *lists)))
    return table


def show_run(path: Path) -> Answer:
    from pitmanyor.runs.directory import find_runs

    facts = [_run_facts(run) for run in find_runs(path)]
    shown: list[Any] = []
    for one in facts:
        shown += [
            f"{one['run']}",
            *(f"  {name}: {value}" for name, value in one.items() if name not in ("run", "graph")),
        ]
    shown += ["", "The model:", facts[0]["graph"]]
    name, unfinished = shlex.quote(str(path)), any(one["sweeps done"] < one["sweeps asked for"] for one in facts)
    next_ = [f"pitmanyor resume {name}"] if unfinished else []
    return Answer({"runs": facts}, shown, [*next_, f"pitmanyor topics {name}"])


def _run_facts(path: Path) -> dict[str, Any]:
    from pitmanyor.runs.directory import STATE, read_header
    from pitmanyor.runs.saved import read_saved

    header = read_header(path)
    settings = header.settings
    facts: dict[str, Any] = {"run": str(path), "sweeps done": 0, "sweeps asked for": settings.sweeps}
    if (path / STATE).exists():
        saved = read_saved(path, header)
        facts |= {"sweeps done": saved.n_sweeps, "seconds": round(saved.seconds, 2), "states kept": len(saved.samples)}
        if saved.n_sweeps:
            n_topics = saved.trace.get("topics/large", saved.trace["n_topics"])[-1]  # links alone have no large ones
            facts |= {"topics": int(n_topics), "log joint": saved.trace["log_joint"][-1]}
    facts |= {
        "seed": settings.seed,
        "chain": settings.chain,
        "sampler": settings.sampler.kind,
        "written by": header.version,
    }
    try:
        facts["bytes"] = sum(file.stat().st_size for file in path.iterdir())
    except OSError as error:
        raise FileError(f"{path}: cannot be listed ({error.strerror})") from error
    return facts | {"corpus": header.corpus_hash, "graph": str(header.graph)}


def examine() -> Answer:
    import numba

    from pitmanyor.cli.compiling import count_installed

    n_installed, n_serving = count_installed()
    cache = os.environ.get("NUMBA_CACHE_DIR", "")
    kept = Path(cache) if cache else Path(__file__).parent.parent / "kernels"
    facts: dict[str, Any] = {
        "pitmanyor": __version__,
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": machine.cores(),
        "threads of Numba": numba.config.NUMBA_NUM_THREADS,
        "JIT": "off" if numba.config.DISABLE_JIT else "on",
        "memory": f"{_gigabytes(machine.total_memory())}, {_gigabytes(machine.free_memory())} free",
        "kernels compiled at installation": n_installed,
        "of these for this machine": n_serving,
        "cache of compiled kernels": str(kept),
        "compiled kernels in it": sum("machine_code" not in file.parts for file in kept.rglob("*.nbc")),
        "the cache can be written": os.access(kept if kept.is_dir() else kept.parent, os.W_OK),
        **{name: _version(name) for name in PACKAGES},
        **{
            group.removeprefix("pitmanyor."): ", ".join(found)
            for group in plugins.GROUPS
            if (found := plugins.names(group))
        },
    }
    width = max(map(len, facts))
    next_ = ["pitmanyor demo OUT    # see it work"]
    if not facts["the cache can be written"]:
        next_.insert(0, "set NUMBA_CACHE_DIR to a directory of yours, or every start compiles anew")
    if n_installed > n_serving and facts["JIT"] == "on" and not facts["compiled kernels in it"]:
        next_.insert(0, "pitmanyor doctor --compile    # sources, Numba or machine have changed since the installation")
    if facts["JIT"] == "off":
        next_.insert(0, "unset NUMBA_DISABLE_JIT: the sampler runs in plain Python, a thousand times slower")
    return Answer(facts, [f"{name:<{width}}  {value}" for name, value in facts.items()], next_)


def _gigabytes(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 1e9:.1f} GB"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
