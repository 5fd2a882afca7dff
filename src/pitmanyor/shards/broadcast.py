"""What workers need of the driver, as files: the outline once, the shared vectors in every sweep."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitmanyor.corpus import Corpus
from pitmanyor.files import atomic_write
from pitmanyor.graph import Graph
from pitmanyor.kernels.numbers.stirling import StirlingTables, shaped_tables
from pitmanyor.kernels.restaurant.arrays import N_COLUMNS, RULE
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.leaves import LeafCells
from pitmanyor.shards.outline import Outline
from pitmanyor.shards.step import Shared
from pitmanyor.shards.working_files import read_named, write_named
from pitmanyor.state.discount_values import restore_tables, stirling_discounts
from pitmanyor.state.state import RULES, State, new_state
from pitmanyor.state.topic_columns import grow

OUTLINE, OUTLINE_CORPUS, SHARED = "outline.json", "outline.safetensors", "shared-{:012d}"
WHOLE = ("nodes", "reals", "rests", "weight", "status")  # arrays of the net that are sent as they are


def save_outline(state: State, home: Path) -> None:
    """Write what makes the same empty state elsewhere."""
    outline = state.plan
    assert isinstance(outline, Outline)
    outline.corpus.save(home / OUTLINE_CORPUS)
    said = {
        "graph": outline.graph.to_dict(),
        "sizes": outline.sizes,
        "max_topics": None if outline.n_topics else state.max_topics,
        "rule": next(name for name, code in RULES.items() if code == state.net.status[RULE]),
    }
    with atomic_write(home / OUTLINE) as file:
        file.write(json.dumps(said).encode())


def load_empty_state(home: Path) -> State:
    """A state of the outline that was saved."""
    said = json.loads((home / OUTLINE).read_text())
    plan = compile_plan(Graph.from_dict(said["graph"]), Corpus.load(home / OUTLINE_CORPUS))
    parts = (plan.graph, plan.corpus, plan.instances, plan.words, plan.order)
    outline = Outline(*parts, np.zeros(0, np.int64), tuple(said["sizes"]))
    return new_state(outline, max_topics=said["max_topics"], rule=said["rule"])


def save_shared(shared: Shared, path: Path) -> int:
    """Write the vectors of a sweep, held topics only; returns their bytes."""
    state = shared.state
    arrays = {name: getattr(state.net, name) for name in WHOLE}
    for i, width in _widths(shared).items():
        block = state.layout.blocks[i]
        arrays[f"stay/{i}"] = state.net.stay[block.rows].reshape(block.n_cells, block.width)[:, :width]
    for i, leaf in shared.leaves.items():
        arrays |= {f"leaf/{i}/bounds": leaf.bounds, f"leaf/{i}/instances": leaf.instances}
    said = {
        "capacity": state.capacity,
        "n_held": shared.n_held,
        "seed": list(map(int, shared.seed)),
        "passes": shared.passes,
        "relabels": shared.relabels,
        "tables": [
            [int(rows), int(columns)] for rows, columns in zip(state.tables.n_rows, state.tables.n_cols, strict=True)
        ],
        "leaves": {str(i): [leaf.bits, leaf.parent] for i, leaf in shared.leaves.items()},
    }
    write_named(path, said, arrays)
    return sum(array.nbytes for array in arrays.values())


def _widths(shared: Shared) -> dict[int, int]:
    """How many columns of every shared node documents may read."""
    columns, out = int(shared.state.net.status[N_COLUMNS]), {}
    for i, node in enumerate(shared.state.plan.nodes):
        if not node.local:
            wide = shared.n_held if node.per_topic else columns if node.side == "topic" else 1
            out[i] = min(wide, shared.state.layout.blocks[i].width)
    return out


def load_shared(empty: State, path: Path, n_threads: int) -> Shared:
    """What `save_shared` wrote, over an empty state of the same outline, which stays as it is."""
    said, arrays = read_named(path)
    state = replace(empty)
    if said["capacity"] > state.capacity:
        grow(state, said["capacity"], exact=True)
    stay = np.zeros_like(state.net.stay)
    for i, block in enumerate(state.layout.blocks):
        if f"stay/{i}" in arrays:
            values = arrays[f"stay/{i}"]
            stay[block.rows].reshape(block.n_cells, block.width)[:, : values.shape[1]] = values
    state.net = state.net._replace(stay=stay, **{name: arrays[name] for name in WHOLE})
    shapes = tuple((rows, columns) for rows, columns in said["tables"])
    restore_tables(state, _tables(tuple(stirling_discounts(state)), shapes))
    leaves = {int(i): _leaf(arrays, i, *of) for i, of in said["leaves"].items()}
    return Shared(state, leaves, said["n_held"], tuple(said["seed"]), said["passes"], said["relabels"], n_threads)


@lru_cache(maxsize=1)
def _tables(discounts: tuple[float, ...], shapes: tuple[tuple[int, int], ...]) -> StirlingTables:
    """Nobody writes to them, and they change seldom."""
    return shaped_tables(discounts, list(shapes))


def _leaf(arrays: dict[str, NDArray[Any]], i: str, bits: int, parent: int | None) -> LeafCells:
    return LeafCells(arrays[f"leaf/{i}/bounds"], arrays[f"leaf/{i}/instances"], bits, parent)
