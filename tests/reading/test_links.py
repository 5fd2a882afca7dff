"""Links from every kind of source, and what is said of those that cannot be used."""

import re

import duckdb
import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from pitmanyor.errors import CorpusError, PitmanyorError, ReadWarning
from pitmanyor.reading import read

POSTS = [{"text": f"word{i} oven", "author": name} for i, name in enumerate(["ann", "bob", "cy", "7"])]
PAIRS = {("ann", "bob"), ("bob", "cy"), ("7", "ann")}


def links(source, **options):
    return set(read(POSTS, links=source, **options).links["follows"].pairs)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "source,target\nann,bob\nbob,cy\n7,ann\n"),
        ("x.csv", "weight,to,from\n1,bob,ann\n2,cy,bob\n3,ann,7\n"),
        ("x.csv", "ann,bob\nbob,cy\n7,ann\n"),
        ("x.tsv", "follower\tfollowee\nann\tbob\nbob\tcy\n7\tann\n"),
        ("x.txt", "# a comment\nann bob\nbob\tcy\n\n7 ann 0.5\n"),
        ("x.jsonl", '{"src": "ann", "dst": "bob"}\n{"src": "bob", "dst": "cy"}\n{"src": 7, "dst": "ann"}\n'),
    ],
)
def test_edge_lists(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert links(tmp_path / name) == PAIRS


def test_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    values = ", ".join(f"('{a}', '{b}')" for a, b in sorted(PAIRS))
    duckdb.execute(f"copy (select * from (values {values}) t(src, dst)) to '{path}' (format parquet)")
    assert links(path) == PAIRS


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ending", ["graphml", "gexf", None])
def test_graphs(tmp_path, directed, ending):
    graph = (nx.DiGraph if directed else nx.Graph)(sorted(PAIRS))
    if ending is not None:
        getattr(nx, f"write_{ending}")(graph, tmp_path / f"x.{ending}")
    expected = PAIRS if directed else PAIRS | {(b, a) for a, b in PAIRS}
    assert links(graph if ending is None else tmp_path / f"x.{ending}") == expected


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_graph_files_may_name_authors_by_labels(tmp_path, ending):
    graph = nx.DiGraph([(0, 1), (1, 2)])
    nx.set_node_attributes(graph, {0: "ann", 1: "bob", 2: "cy"}, "label")
    getattr(nx, f"write_{ending}")(graph, tmp_path / f"x.{ending}")
    assert links(tmp_path / f"x.{ending}") == {("ann", "bob"), ("bob", "cy")}


def test_matrices_pairs_and_names():
    matrix = scipy.sparse.coo_matrix(np.array([[0, 1, 0], [0, 0, 2], [0, 0, 0]]))
    assert links((matrix, ["ann", "bob", "cy"])) == {("ann", "bob"), ("bob", "cy")}
    assert links(iter([("ann", "bob"), (7, "ann")])) == {("ann", "bob"), ("7", "ann")}
    corpus = read(POSTS, links={"likes": [("ann", "bob")], "mentions": [("cy", "bob")]})
    assert {name: found.pairs for name, found in corpus.links.items()} == {
        "likes": (("ann", "bob"),), "mentions": (("cy", "bob"),),
    }  # fmt: skip
    assert corpus.links["likes"].labels == corpus.groups["author"].labels


def test_loops_and_repetitions_are_left_out_and_told():
    corpus = read(POSTS, links=[("ann", "bob"), ("ann", "bob"), ("ann", "ann")])
    assert corpus.links["follows"].pairs == (("ann", "bob"),)
    assert "the links: left out 1 links of an author to itself" in corpus.report.notes
    assert "the links: left out 1 links that came before" in corpus.report.notes


def test_unknown_authors_are_a_warning_or_an_error():
    with pytest.warns(ReadWarning, match="left out 1 of authors who have no posts in the corpus, such as 'zed'"):
        assert links([("ann", "bob"), ("ann", "zed")]) == {("ann", "bob")}
    with pytest.raises(CorpusError, match="all 1 links are of authors without posts, such as 'x'"):
        links([("x", "y")])
    with pytest.raises(CorpusError, match="such as 'x', whereas authors with posts have names such as 'ann'"):
        links([("ann", "x")])


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;">]>\n<graphml>&b;</graphml>'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.graphml", BOMB, "line 1: a document type or an entity is declared"),
        ("x.graphml", "<graphml>\n<graph>\n<edge source='ann'/>", "line 3: <edge> has no attribute 'target'"),
        ("x.graphml", "<graphml>\n<graph>", "line 2, column 8: not well-formed XML (no element found)"),
        ("x.gexf", "<html></html>", "the document is <html>, neither <graphml> nor <gexf>"),
        ("x.csv", "source\nann\n", "links need two columns"),
        ("x.csv", "source,target\nann,bob\nann\n", "line 3: 1 field where the first line has 2"),
        ("x.csv", "source,target\nann,\n", "line 2: a link without its 'source' or 'target'"),
        ("x.txt", "ann bob\nann\n", "line 2: one name where a link has two"),
    ],
)
def test_files_that_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(CorpusError, match=re.escape(message)) as refused:
        links(tmp_path / name)
    assert str(tmp_path / name) in str(refused.value)


def test_bad_links_are_skipped_and_told(tmp_path):
    (tmp_path / "x.csv").write_text("source,target\nann,bob\nann\n7,\n")
    corpus = read(POSTS, links=tmp_path / "x.csv", skip_bad_lines=True)
    assert corpus.links["follows"].pairs == (("ann", "bob"),)
    assert any("skipped 2 bad lines, the first: line 3" in note for note in corpus.report.notes)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (scipy.sparse.coo_matrix((2, 2)), "give a pair (matrix, labels of its rows)"),
        ((scipy.sparse.coo_matrix((2, 2)), ["x"]), "a matrix of shape (2, 2) and 1 labels"),
        (["ab"], "entry 0: 'ab' is not a pair"),
        ([("a", "b", "c")], "entry 0: ('a', 'b', 'c') is not a pair"),
        ("none.csv", "none.csv: there is no such file of links"),
    ],
)
def test_sources_that_are_refused(source, message):
    with pytest.raises(CorpusError, match=re.escape(message)):
        links(source)


def test_links_need_authors():
    with pytest.raises(PitmanyorError, match="there is no author column; name it with author="):
        read(["oven"], links=[("a", "b")])
