"""Lists of positions: contexts on the topic side, streams on the word side."""

from oracle.toys import author_words, bursty, diamond, two_parents
from pitmanyor.corpus import Corpus
from pitmanyor.kernels.restaurant.arrays import AS_IS, AT_TOKEN, AT_WORD
from pitmanyor.models import hdp_lda, lda
from pitmanyor.plan import Plan, compile_plan
from pitmanyor.plan.walks import Walks


def node_at(plan: Plan, cell: int) -> str:
    return next(node.name for i, node in enumerate(plan.nodes) if cell < plan.cells.first[i + 1])


def parents_at(walks: Walks, entry: int) -> list[int]:
    return walks.par[walks.par_first[entry] : walks.par_first[entry + 1]].tolist()


def test_documents_of_one_author_share_a_context():
    plan = compile_plan(*two_parents())
    assert plan.context[0] == plan.context[2] != plan.context[1]
    assert len(plan.topic_walks.first) - 1 == 2


def test_shared_positions_come_first_and_parents_before_children():
    plan = compile_plan(*diamond(authors=2))
    walks = plan.topic_walks
    for context in range(2):
        start, stop = walks.first[context], walks.first[context + 1]
        names = [node_at(plan, cell) for cell in walks.cell[start:stop]]
        assert names == ["mu0", "mu1", "nu", "eta", "theta_tag", "theta"]
        assert walks.n_shared[context] == 3
        above = [[names[p] for p in parents_at(walks, e)] for e in range(start, stop)]
        assert above == [list(plan.graph[name].parents) for name in names]
        assert [names[leaf] for leaf in plan.leaf[context]] == ["theta_tag", "theta"]
    nu = plan.index["nu"]
    assert {int(walks.cell[walks.first[plan.context[d]] + 2] - plan.cells.first[nu]) for d in range(2)} == {0, 1}


def test_without_shared_topic_nodes_there_is_one_context():
    plan = compile_plan(lda(3), Corpus.from_tokens([["x"], ["y"]]))
    assert plan.context.tolist() == [0, 0]
    assert plan.topic_walks.n_shared.tolist() == [0]
    assert plan.topic_walks.longest == 1


def test_word_lists_end_with_the_emitting_node_and_say_how_a_cell_is_found():
    plan = compile_plan(*author_words())
    walks = plan.word_walks
    assert walks.mode.tolist() == [AT_WORD, AT_TOKEN]
    assert walks.cell.tolist() == [plan.cells.first[plan.index["phi"]], plan.cells.slot["own"]]
    assert parents_at(walks, 1) == [0]
    assert plan.partner.tolist() == [[0]]


def test_a_local_word_node_stands_as_it_is_and_makes_a_stream_its_own_partner():
    plan = compile_plan(*bursty())
    assert plan.word_walks.mode.tolist() == [AT_WORD, AS_IS]
    assert plan.word_walks.n_shared.tolist() == [1]
    assert plan.partner.tolist() == [[1]]


def test_two_streams_have_a_list_each():
    plan = compile_plan(*diamond())
    walks = plan.word_walks
    names = [[node_at(plan, c) for c in walks.cell[walks.first[s] : walks.first[s + 1]]] for s in range(2)]
    assert names == [["gamma", "psi_tag"], ["gamma", "psi"]]
    assert plan.partner.tolist() == [[0, 0], [0, 0]]


def test_the_walk_digits_of_local_nodes_do_not_overlap():
    plan = compile_plan(*diamond())
    shift, mask = plan.shift_and_mask()
    digits = [int(mask[plan.index[name]]) << int(shift[plan.index[name]]) for name in ("eta", "theta_tag", "theta")]
    assert digits == [0b1, 0b110, 0b11000]


def test_only_local_pyps_have_digits():
    plan = compile_plan(hdp_lda(), Corpus.from_tokens([["x"]]))
    assert {node.name for node, mask in zip(plan.nodes, plan.shift_and_mask()[1], strict=True) if mask} == {"theta"}
