"""Figures: what is on them, not how they look."""

import numpy as np
import pytest

from pitmanyor import Corpus, FileError, PlanError, fit, labels, models
from pitmanyor.export import author_graph
from pitmanyor.figures import author_heat_map, draw_authors, topic_table, traces, write_figures
from pitmanyor.figures.author_network import with_room
from pitmanyor.topics import author_shares, merge, prevalence
from pitmanyor.topics.network_backbone import backbone

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pitmanyor[figures]'")


def words_on(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_the_table_has_names_shares_and_words(named):
    merge(named, [0, 1], name="both of $them")
    said = words_on(topic_table(named, n_topics=4, n_words=2))
    spread = prevalence(named)
    largest = np.argsort(-spread.shares[0], kind="stable")[:4]
    for k in largest:
        assert spread.names[k] in said and f"{spread.shares[0, k]:.1%}" in said
    assert ", ".join(word for word, _ in named.topics(2)[spread.topics[largest[-1]]]) in said


def test_the_heat_map_is_of_authors_and_topics(blog):
    figure = author_heat_map(blog, n_authors=6, n_topics=3)
    axes = figure.axes[0]
    who, shares = author_shares(blog)
    rows = [label.get_text() for label in axes.get_yticklabels()]
    columns = [label.get_text() for label in axes.get_xticklabels()]
    assert len(rows) == 6 and len(columns) == 3
    seen, names = np.asarray(axes.images[0].get_array()), labels(blog)
    for i, row in enumerate(rows):
        assert seen[i] == pytest.approx([shares[who.index(row), names.index(name)] for name in columns])
    assert (np.diff(seen.argmax(axis=1)) >= 0).all()


def test_traces_have_a_line_for_every_chain(blog, plain):
    panels = traces([plain, plain]).axes
    assert [axes.get_title(loc="left") for axes in panels[:2]] == ["log joint", "number of topics"]
    for line in panels[0].lines:
        assert line.get_ydata().tolist() == plain.trace["log_joint"].tolist()
    assert len(panels[0].lines) == 2 and len(traces(blog).axes[0].lines) == 1
    with pytest.raises(PlanError, match="no trace to draw"):
        traces([])


def test_the_graph_draws_every_author_and_link(joined):
    axes = draw_authors(joined).axes[0]
    graph = author_graph(joined)
    assert len(axes.collections[0].get_offsets()) == len(graph.names)
    pairs = np.array([(a, b) for a, b, _ in graph.edges if a != b])
    assert len(axes.lines) == len(backbone(len(graph.names), pairs).pairs) < len(pairs)
    assert words_on(draw_authors(joined)) and set(words_on(draw_authors(joined))) <= set(graph.names)
    assert len(draw_authors(joined, max_links=3).axes[0].lines) == 3


def test_of_many_authors_the_most_linked_are_drawn(joined):
    graph = author_graph(joined)
    degree = np.bincount([end for a, b, _ in graph.edges if a != b for end in (a, b)], minlength=len(graph.names))
    most = set(np.argsort(-degree, kind="stable")[:4].tolist())
    figure = draw_authors(joined, max_authors=4)
    axes = figure.axes[0]
    assert len(axes.collections[0].get_offsets()) == 4
    assert 3 <= len(axes.lines) <= len({(min(a, b), max(a, b)) for a, b, _ in graph.edges if {a, b} <= most})
    assert set(words_on(figure)) <= {graph.names[i] for i in most}
    assert axes.get_title() == f"the 4 authors with most links, of {len(graph.names)}"


def test_topics_that_are_all_small_are_drawn(blog, monkeypatch):
    monkeypatch.setattr("pitmanyor.state.topic_sizes.least_tokens", lambda n_tokens: n_tokens + 1)
    assert len(author_heat_map(blog, n_topics=3).axes[0].get_xticklabels()) == 3
    largest = prevalence(blog).shares[0].argmax()
    assert labels(blog)[largest] in words_on(topic_table(blog, n_topics=1))


def test_names_have_room():
    at = np.array([[0.0, 0.0], [0.01, 0.01], [1.0, 1.0], [0.0, 0.5]])
    assert with_room(at, np.array([1, 0, 2, 3])) == [1, 2, 3]


def test_files_are_the_same_for_the_same_fit(blog, tmp_path):
    first = write_figures(blog, tmp_path / "one", formats=("pdf",))
    again = write_figures(blog, tmp_path / "two", formats=("pdf",))
    assert [path.name for path in first] == ["traces.pdf", "topics.pdf", "authors.pdf", "network.pdf"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_names_with_dollars_and_underscores_are_names(tmp_path):
    authors = ["$x_{", "b$", "c"]
    corpus = Corpus.from_tokens(
        [["$a_{", "y$"], ["y$", "^z"], ["^z"]],
        groups={"author": authors},
        links={"follows": [(authors[0], authors[1])]},
    )
    result = fit(models.lda(2), corpus, sweeps=2, seed=1)
    assert len(write_figures(result, tmp_path, formats=("png",))) == 4


def test_what_cannot_be_drawn_is_told(plain, tmp_path):
    with pytest.raises(PlanError, match="no column 'author'"):
        author_heat_map(plain)
    assert [path.name for path in write_figures(plain, tmp_path, formats=("png",))] == ["traces.png", "topics.png"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="not a directory"):
        write_figures(plain, tmp_path / "file")
    corpus = Corpus.from_tokens([["a"], ["b"]], groups={"author": ["x", "y"]})
    with pytest.raises(PlanError, match="no links between authors"):
        draw_authors(fit(models.lda(2), corpus, sweeps=1, seed=1))


def test_figures_of_one_panel_draw_on_axes_of_yours(blog):
    from matplotlib.figure import Figure

    for draw in (topic_table, author_heat_map, draw_authors):
        mine = Figure()
        left, right = mine.subplots(1, 2)
        assert draw(blog, ax=right) is mine
        assert right.has_data() or right.texts
        assert not left.has_data() and not left.texts
