"""Functions have at most eight positional parameters. Those that have more are listed here."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pitmanyor

HOME = Path(pitmanyor.__file__).parent
MOST = 8
# Lists may only shrink. Key and number of a random stream are two scalars everywhere, because an array would cost
# reference counts (kernels/runtime/random.py).
EXCEPTIONS = {
    # kernels with parallel loops, which bundle what they are given for each block of documents
    "kernels/documents/general/explicit.py": {"explicit_sweep": 13},
    "kernels/documents/one_node/explicit.py": {"one_node_sweep": 16},
    "kernels/documents/clusters/cluster_folding.py": {"visit": 9, "_visit_block": 10, "fold_clusters": 16},
    "kernels/documents/one_node/folding.py": {"fold_one_node": 15},
    "kernels/documents/topic_nodes/explicit.py": {"topic_nodes_sweep": 16},
    "kernels/documents/topic_nodes/folding.py": {"fold_topic_nodes": 15},
    "kernels/documents/relabelling.py": {"relabel_documents": 11},
    # measured: with all arrays in one bundle a collapsed sweep of any graph takes a fifth longer
    "kernels/documents/general/collapsed.py": {"put_token": 10, "take_token": 10},
    "kernels/monitor/log_joint.py": {"shared_dish": 10},
    "kernels/monitor/word_measures.py": {"measure_words": 9},
    "kernels/monitor/seatings.py": {"_count_part": 9},
    # vector instructions in place of a loop: every array is an operand
    "kernels/runtime/simd.py": {"cumulate": 12},
    "kernels/runtime/simd_rows.py": {"value_lanes": 9, "weigh_lanes": 15},
    "kernels/switching/counted_leaves.py": {"_up_run": 9},
    "kernels/switching/customers.py": {"_count_part": 9, "_count_topics": 10},
    "kernels/switching/leaf_tables.py": {
        "_draw_dishes": 12, "_draw_entries": 11, "_draw_row": 11, "_leaf_run": 12, "leaf_row": 10, "up_leaf": 10
    },
    "kernels/switching/table_counts.py": {"up_count": 10, "up_tables": 9},
    "kernels/switching/word_vectors.py": {"draw_word_node": 9},
}  # fmt: skip


def is_command(function: ast.FunctionDef) -> bool:
    """A command of the command line: its options are its parameters."""
    return any("command(" in ast.unparse(one) for one in function.decorator_list)


def long_ones() -> Iterator[tuple[str, str, int]]:
    for path in sorted(HOME.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and not is_command(node):
                names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
                n = len(names) - (names[:1] in (["self"], ["cls"]))
                if n > MOST:
                    yield path.relative_to(HOME).as_posix(), node.name, n


def test_functions_with_more_parameters_are_those_that_are_listed():
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for module, name, n in long_ones():
        found[module][name] = max(n, found[module].get(name, 0))
    assert found == EXCEPTIONS
