"""Formats of other tools: read back by those tools, or by their rules."""

import gzip
import json

import networkx as nx
import numpy as np
import pytest

from pitmanyor import Corpus, Graph, Network, PlanError, Start, fit, labels, models, uniform
from pitmanyor.export import (
    author_graph,
    pyldavis,
    to_arviz,
    write_arviz,
    write_gexf,
    write_graphml,
    write_mallet,
    write_pyldavis,
)
from pitmanyor.export.edges import Edge, edges_of
from pitmanyor.reading.links import read_links
from pitmanyor.reading.options import FileOptions
from pitmanyor.topics import author_shares, merge

WRITERS = {"gexf": (write_gexf, nx.read_gexf), "graphml": (write_graphml, nx.read_graphml)}


@pytest.mark.parametrize("kind", WRITERS)
def test_networkx_reads_authors_topics_and_links(joined, tmp_path, kind):
    write, read = WRITERS[kind]
    write(joined, tmp_path / f"authors.{kind}")
    graph = read(tmp_path / f"authors.{kind}")
    who, shares = author_shares(joined)
    names = {node: data["label"] for node, data in graph.nodes(data=True)}
    assert sorted(names.values()) == sorted(who) and graph.is_directed()
    pairs = {(names[a], names[b]) for a, b in graph.edges}
    assert pairs == set(joined.corpus.links["follows"].pairs)
    for node, data in graph.nodes(data=True):
        own = shares[who.index(names[node])]
        assert [data[f"topic_{k}"] for k in range(joined.n_topics)] == pytest.approx(own)
        assert data["topic"] == own.argmax() and data["topic_name"] == labels(joined)[own.argmax()]
    a, b, data = next(iter(graph.edges(data=True)))
    assert data["probability"] == pytest.approx(joined.link_probability(names[a], names[b])[0])
    again = read_links(str(tmp_path / f"authors.{kind}"), FileOptions(), who)
    assert set(again.links.pairs) == pairs


LINKS = [("x", "y"), ("y", "x"), ("y", "z")]


@pytest.fixture(scope="module")
def undirected():
    """Three authors, in a model that takes their links as undirected."""
    graph = Graph()
    nu = graph.pyp("nu", base=graph.gem("mu"), plate="author")
    theta = graph.pyp("theta", base=nu, plate="document")
    graph.tokens("word", topic=theta, emit=graph.pyp("phi", base=uniform("vocabulary"), plate="topic"))
    graph.links("friends", between=nu, directed=False)
    corpus = Corpus.from_tokens([["a"], ["b"], ["a"]], groups={"author": ["x", "y", "z"]}, links={"friends": LINKS})
    return fit(graph, corpus, sweeps=2, network=Network(text_sweeps=1), seed=1)


@pytest.mark.parametrize("kind", WRITERS)
def test_links_without_direction_are_one_edge(undirected, tmp_path, kind):
    write, read = WRITERS[kind]
    write(undirected, tmp_path / f"authors.{kind}")
    graph = read(tmp_path / f"authors.{kind}")
    assert not graph.is_directed() and not graph.is_multigraph()
    assert {frozenset(pair) for pair in graph.edges} == {frozenset("01"), frozenset("12")}


def test_beside_directed_links_they_go_both_ways(undirected, monkeypatch):
    likes = Edge("likes", "z", "x", 0.5, None)
    monkeypatch.setattr("pitmanyor.export.xmlgraph.edges_of", lambda fit: [*edges_of(fit), likes])
    graph = author_graph(undirected)
    assert graph.directed
    assert sorted((a, b) for a, b, _ in graph.edges) == [(0, 1), (1, 0), (1, 2), (2, 0), (2, 1)]


@pytest.mark.parametrize("kind", WRITERS)
def test_hostile_names_stay_names(tmp_path, kind):
    names = ['<script>alert("x")</script>', "a & b\x00\x1b[0m", "]]>\u202e"]
    corpus = Corpus.from_tokens(
        [["x"], ["y"], ["z"]], groups={"author": names}, links={"follows": [(names[0], names[1])]}
    )
    write, read = WRITERS[kind]
    write(fit(models.lda(2), corpus, sweeps=1, seed=1), tmp_path / "graph.xml")
    found = {data["label"] for _, data in read(tmp_path / "graph.xml").nodes(data=True)}
    assert found == {names[0], "a & b\ufffd\ufffd[0m", names[2]}


def test_pyldavis_gets_distributions(blog, tmp_path):
    data = pyldavis(blog)
    assert data["topic_term_dists"].sum(axis=1) == pytest.approx(1.0)
    assert data["doc_topic_dists"].sum(axis=1) == pytest.approx(1.0)
    assert data["doc_topic_dists"].shape == (blog.corpus.n_documents, len(data["topic_term_dists"]))
    words = blog.corpus.streams["word"].words
    assert dict(zip(data["vocab"], data["term_frequency"].tolist(), strict=True)) == {
        blog.corpus.vocabulary[w]: int((words == w).sum()) for w in np.unique(words)
    }
    assert data["doc_lengths"].sum() == len(words)
    write_pyldavis(blog, tmp_path / "lda.json")
    again = json.loads((tmp_path / "lda.json").read_text())
    assert np.array(again["topic_term_dists"]) == pytest.approx(data["topic_term_dists"])


def test_pyldavis_takes_it(blog):
    module = pytest.importorskip("pyLDAvis", reason="pyLDAvis is not installed; nothing else needs it")
    made = module.prepare(**pyldavis(blog), n_jobs=1, sort_topics=False)
    assert len(made.topic_coordinates) == len(pyldavis(blog)["topic_term_dists"])


def test_mallet_state_has_a_line_for_every_token(named, tmp_path):
    merge(named, [0, 1])
    write_mallet(named, tmp_path / "state.gz")
    write_mallet(named, tmp_path / "again.gz")
    assert (tmp_path / "state.gz").read_bytes() == (tmp_path / "again.gz").read_bytes()
    head, alpha, beta, *lines = gzip.decompress((tmp_path / "state.gz").read_bytes()).decode().splitlines()
    assert head == "#doc source pos typeindex type topic"
    assert alpha.startswith("#alpha : ")
    weights = [float(weight) for weight in alpha.split()[2:]]
    used = {int(line.split(" ")[5]) for line in lines}
    assert len(weights) == named.n_topics and {k for k, weight in enumerate(weights) if weight} == used
    assert beta.startswith("#beta : ") and float(beta.split()[-1]) > 0
    corpus, stream = named.corpus, named.corpus.streams["word"]
    rows = [line.split(" ") for line in lines]
    assert [int(row[0]) for row in rows] == stream.documents.tolist()
    assert [row[1] for row in rows] == [str(corpus.rows[d]) for d in stream.documents]
    assert [row[4] for row in rows] == [corpus.vocabulary[w] for w in stream.words]
    assert [int(row[5]) for row in rows] == np.where(named.token_topics() == 1, 0, named.token_topics()).tolist()
    assert [int(row[2]) for row in rows][: stream.lengths[0]] == list(range(stream.lengths[0]))


def test_arviz_reads_the_draws_of_chains(plain, tmp_path):
    arviz = pytest.importorskip("arviz", reason="arviz is not installed: pip install 'pitmanyor[arviz]'")
    other = fit(plain.graph, plain.corpus, sweeps=44, seed=3, start=Start(chain=1))
    made = to_arviz([plain, other])
    assert made["posterior"].sizes == {"chain": 2, "draw": 20}
    assert made["sample_stats"]["lp"].values[1].tolist() == other.trace["log_joint"][-20:].tolist()
    assert (
        made["posterior"]["concentration_theta"].values[0].tolist() == plain.trace["concentration/theta"][-20:].tolist()
    )
    write_arviz(plain, tmp_path / "draws.nc", burn_in=10)
    assert arviz.from_netcdf(str(tmp_path / "draws.nc"))["posterior"].sizes["draw"] == 30
    for wrong, message in (
        (lambda: to_arviz([]), "one or several fits of the same graph"),
        (lambda: to_arviz(plain, burn_in=40), "leaves no sweep"),
    ):
        with pytest.raises(PlanError, match=message):
            wrong()


def test_without_a_class_of_arviz_it_is_a_data_tree(plain, tmp_path, monkeypatch):
    """As ArviZ 1.0 has it."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed: pip install 'pitmanyor[arviz]'")
    monkeypatch.setattr("pitmanyor.export.arviz_draws._inference_data", lambda: None)
    write_arviz(plain, tmp_path / "draws.nc")
    with xarray.open_datatree(tmp_path / "draws.nc", engine="h5netcdf") as made:
        assert made["posterior/n_topics"].values.tolist() == [plain.trace["n_topics"][-20:].tolist()]
        assert made["posterior"].attrs["inference_library"] == "pitmanyor"
