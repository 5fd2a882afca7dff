"""Where counts lie: blocks side by side, cells inside them."""

import pytest

from oracle.toys import TOYS
from pitmanyor.kernels.restaurant.arrays import NODE, REST, ROW, TO_REST, TO_ROW
from pitmanyor.plan import compile_plan
from pitmanyor.state.layout import build_layout, is_wide


@pytest.mark.parametrize("toy", TOYS)
def test_blocks_lie_side_by_side_and_fill_the_arrays(toy):
    layout = build_layout(compile_plan(*TOYS[toy]()), 16)
    for name, size in zip(("rows", "rests", "to_rows", "to_rests"), layout.sizes, strict=True):
        stop = 0
        for block in layout.blocks:
            part = getattr(block, name)
            assert part.start == stop
            stop = part.stop
        assert stop == size


@pytest.mark.parametrize("toy", TOYS)
def test_every_cell_is_in_its_nodes_block_and_rows_do_not_overlap(toy):
    plan = compile_plan(*TOYS[toy]())
    layout = build_layout(plan, 32)
    for cell, (node, row, rest, to_row, to_rest) in enumerate(layout.cells[:, [NODE, ROW, REST, TO_ROW, TO_REST]]):
        block, own = layout.blocks[node], plan.cells.of(int(node))
        assert own.start <= cell < own.stop
        assert row == block.row + (cell - own.start) * block.width
        assert block.rests.start <= rest <= block.rests.stop - block.own
        if block.n_parents:
            assert to_row - block.to_row == (row - block.row) * block.n_parents
            assert to_rest - block.to_rest == (rest - block.rest) * block.n_parents


def test_widths_of_both_sides():
    plan = compile_plan(*TOYS["author_words"]())
    layout = build_layout(plan, 16)
    shape = {
        node.name: (b.n_cells, b.width, b.n_instances, b.own) for node, b in zip(plan.nodes, layout.blocks, strict=True)
    }
    assert shape == {"mu": (1, 16, 1, 1), "nu": (2, 16, 2, 1), "phi": (2, 16, 1, 16), "own": (3, 16, 2, 16)}


def test_a_local_node_takes_one_place_and_a_global_word_node_one_column():
    plan = compile_plan(*TOYS["three_layers"]())
    blocks = build_layout(plan, 16).blocks
    assert (blocks[plan.index["theta"]].n_cells, blocks[plan.index["theta"]].width) == (1, 1)
    assert (blocks[plan.index["gamma"]].n_cells, blocks[plan.index["gamma"]].width) == (2, 1)
    assert not is_wide(plan.graph["gamma"]) and is_wide(plan.graph["phi"]) and is_wide(plan.graph["nu"])
