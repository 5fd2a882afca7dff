"""What must hold of any valid graph, tried on random ones."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from pitmanyor.errors import GraphError
from pitmanyor.graph import Gamma, Graph, mix, uniform
from pitmanyor.graph.draw_layout import lay_out

PLATES = [(), ("author",), ("day",), ("author", "day"), ("document",)]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A gem, up to five nodes on it, up to three over words, one or two streams, maybe links; nothing idle."""
    g = Graph()
    g.gem("mu")
    for i in range(draw(st.integers(0, 5))):
        plate = draw(st.sampled_from(PLATES))
        able = [n.name for n in g.nodes if set(n.plate) <= set(plate) or "document" in plate]
        parents = draw(st.lists(st.sampled_from(able), min_size=1, max_size=3, unique=True))
        base = mix(*parents) if len(parents) > 1 else parents[0]
        g.pyp(f"t{i}", base=base, plate=plate, discount=draw(st.sampled_from([0, 0.5])))
    topics = [n.name for n in g.nodes]
    g.pyp("gamma", base=uniform(), concentration=draw(st.sampled_from([3.0, Gamma(2, 1)])))
    for i in range(draw(st.integers(0, 2))):
        above = f"w{i - 1}" if i else "gamma"
        g.pyp(f"w{i}", base=above, plate=("topic",) if i == 0 else ("author", "topic"))
    words = [n.name for n in g.nodes if n.side == "word"]
    for name in ("word", "tag")[: draw(st.integers(1, 2))]:
        g.tokens(name, topic=draw(st.sampled_from(topics)), emit=draw(st.sampled_from(words)))
    for node in [n for n in g.nodes if n.plate == ("author",) and n.side == "topic"][: draw(st.integers(0, 1))]:
        g.links("follows", between=node)
    return g.prune()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(graphs())
def test_text_and_data_read_back(g: Graph) -> None:
    g.validate()
    scope: dict[str, object] = {"Graph": Graph, "Gamma": Gamma, "mix": mix, "uniform": uniform}
    exec(str(g), scope)
    assert scope["g"] == g == Graph.from_dict(g.to_dict()) == g.copy()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(graphs())
def test_removing_anything_leaves_a_valid_graph(g: Graph) -> None:
    for name in g.names:
        try:
            left = g.without(name)
        except GraphError as error:
            assert "nothing would be left" in str(error)
            continue
        assert name not in left and set(left.names) < set(g.names)
        left.validate()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(graphs())
def test_nodes_are_in_topological_order(g: Graph) -> None:
    seen: set[str] = set()
    for node in g.nodes:
        assert set(node.parents) <= seen
        seen.add(node.name)
        assert [child.name for child in g.children(node.name)] == [n.name for n in g.nodes if node.name in n.parents]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(graphs())
def test_drawings_never_overlap(g: Graph) -> None:
    layout = lay_out(g, lambda name, shape: 40.0)
    for one, other in combinations(layout.blocks, 2):
        if one.first <= other.last and other.first <= one.last:
            assert abs(one.y - other.y) >= one.half + other.half - 1e-9
