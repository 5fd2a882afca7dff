"""The front door: what the package shows, takes and gives, tried as a newcomer would."""

import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest

import pitmanyor
from pitmanyor import Corpus, FileError, Network, PlanError, fit, load, models, prevalence, read, table
from pitmanyor.results.notebook_bars import NotebookBars, bars, in_notebook
from pitmanyor.sampling.progress import Bars, Swept

ROWS = {
    "key": ["a1", "b2", "c3", "d4"] * 5,
    "text": ["goal match team", "bread oven flour", "goal team league", "oven bread butter"] * 5,
    "user": ["ann", "bob", "ann", "cy"] * 5,
}
OPTIONS = {"sweeps": 4, "seed": 1}
pytestmark = pytest.mark.filterwarnings("ignore::pitmanyor.errors.ReadWarning")  # a few posts, again and again


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(ROWS | {"key": [f"{key}-{i}" for i, key in enumerate(ROWS["key"])]})


@pytest.fixture(scope="module")
def fitted(frame):
    return fit(models.author_topic(), read(frame, id="key"), **OPTIONS)


def test_dir_shows_what_is_public_whatever_was_imported():
    code = "import pitmanyor, pitmanyor.files, pitmanyor.results.fitting; print(*dir(pitmanyor))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()
    assert {"fit", "read", "models", "export", "figures", "table", "__version__", "sklearn"} <= set(shown)
    assert not {"files", "results", "import_module", "annotations", "TYPE_CHECKING", "Any", "_HOME"} & set(shown)


@pytest.mark.parametrize("name", ["export", "figures", "topics", "report", "baselines", "reading", "simulation"])
def test_submodules_are_there_without_being_imported(name):
    code = f"import pitmanyor; print(pitmanyor.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == f"pitmanyor.{name}", done.stderr
    assert pitmanyor.__version__


def test_fit_takes_what_read_takes(frame, tmp_path):
    expected = read(frame).content_hash
    frame.to_csv(tmp_path / "posts.csv", index=False)
    for source in (frame, str(tmp_path / "posts.csv"), tmp_path / "posts.csv"):
        assert fit(models.lda(2), source, **OPTIONS).corpus.content_hash == expected
    with pytest.raises(FileError, match="already exists"):
        fit(models.lda(2), "no_such_file.csv", **OPTIONS, save_to=tmp_path)


def test_a_number_of_topics_is_asked_of_the_model(frame):
    said = r"fit models\.lda\(20\), for an upper bound pass max_topics=20"
    with pytest.raises(TypeError, match=f"fit has no keyword 'n_topics': .*{said}"):
        fit(models.hpyp(), read(frame), **OPTIONS, n_topics=20)
    with pytest.raises(PlanError, match=rf"Network\(n_topics=20\) is for links without text.*{said}"):
        fit(models.hpyp(), read(frame), **OPTIONS, network=Network(n_topics=20))


def test_infer_takes_texts_tokens_frames_and_files(fitted, frame, tmp_path):
    texts = ["Goal! The match", "", "[deleted]", "fresh bread"]
    found = fitted.infer(texts)
    assert found.shares.shape == (4, fitted.n_topics)  # a row for every text, even an empty one
    assert np.array_equal(found.shares, fitted.infer(pd.DataFrame({"text": texts})).shares)
    tokens = fitted.infer([["goal", "match"], ["bread"]])
    assert tokens.shares.shape == (2, fitted.n_topics) and fitted.infer("fresh bread").shares.shape[0] == 1
    frame.to_csv(tmp_path / "posts.csv", index=False)
    again, whole = fitted.infer(str(tmp_path / "posts.csv")), fitted.infer(frame)
    assert np.array_equal(again.shares, whole.shares) and list(whole.ids) == list(frame["key"])
    assert np.array_equal(whole.shares, fitted.infer(fitted.corpus).shares)


def test_held_out_scores_take_what_infer_takes(fitted, frame, tmp_path):
    frame.to_csv(tmp_path / "posts.csv", index=False)
    expected = fitted.perplexity(fitted.corpus)
    for source in (frame, str(tmp_path / "posts.csv")):
        assert fitted.perplexity(source) == expected
    assert fitted.perplexity(["goal match team", "bread oven"]).total > 1
    assert fitted.left_to_right(frame, sweeps=2) == fitted.left_to_right(fitted.corpus, sweeps=2)


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        ("hpyp", r"models.hpyp\(\), not the text 'hpyp'"),
        (models.hpyp, r"not a function: call it, hpyp\(\)"),
        (Corpus.from_tokens([["a"]]), r"the graph comes first: fit\(graph, corpus\)"),
        (3, "not int"),
    ],
)
def test_what_is_no_graph_is_taught(graph, said):
    with pytest.raises(PlanError, match=said):
        fit(graph, ["a text"])


def test_later_texts_are_read_as_the_fitted_ones_were():
    made = fit(models.lda(2), read(["Goals matched", "breads ovens"] * 5, stem="english"), **OPTIONS)
    assert made.infer(["goal matching"]).n_dropped == {"word": 0}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "dict"])
def test_tables_come_as_frames_of_any_kind(fitted, kind):
    if kind != "dict":
        pytest.importorskip(kind)
    for name in ("topics", "words", "documents", "authors", "by_author", "trace"):
        made = table(fitted, name, kind=kind)
        assert type(made).__module__.split(".")[0] == {"dict": "builtins"}.get(kind, kind)
        assert (len(made) if kind != "dict" else len(next(iter(made.values())))) > 0
    made = table(fitted, "documents", kind=kind)
    ids = made["id"] if kind in ("pandas", "dict", "polars") else made.column("id").to_pylist()
    assert list(ids) == list(fitted.corpus.ids)


def test_tables_are_of_the_kind_that_was_brought(frame, fitted, monkeypatch):
    assert isinstance(table(fitted), pd.DataFrame) and fitted.corpus.report.frame == "pandas"
    assert table(fitted, "words", n_words=2).groupby("topic").size().max() == 2
    pl = pytest.importorskip("polars")
    made = fit(models.lda(2), read(pl.DataFrame(ROWS | {"key": list(frame["key"])})), **OPTIONS)
    assert isinstance(table(made), pl.DataFrame)
    plain = fit(models.lda(2), Corpus.from_tokens([["a", "b"]] * 4), **OPTIONS)
    assert isinstance(table(plain), pd.DataFrame)
    monkeypatch.setattr("pitmanyor.export.frames.find_spec", lambda name: None)
    assert isinstance(table(plain), dict) and isinstance(table(made), dict)


def test_tables_of_new_documents_and_of_prevalences(fitted, frame):
    made = table(fitted.infer(frame))
    assert list(made["id"]) == list(frame["key"]) and made.filter(like="topic_").shape[1] == fitted.n_topics
    assert len(table(prevalence(fitted, by="author"))) == 3 * fitted.n_topics


def test_tables_that_are_not_there_name_those_that_are(fitted):
    with pytest.raises(PlanError, match="no table 'topic' of this fit; there are topics, words, documents, authors"):
        table(fitted, "topic")
    with pytest.raises(PlanError, match="kind must be one of pandas, polars, pyarrow, dict, not 'r'"):
        table(fitted, kind="r")
    with pytest.raises(PlanError, match="one table of TopicShares; leave 'words' out"):
        table(fitted.infer(["goal"]), "words")


def test_what_notebooks_show_is_escaped():
    texts = ["<script>alert(1)</script> goal\u202e", "bread oven"] * 5
    corpus = read(texts, tokeniser=str.split, groups={}, duplicates="keep", stop_words=None)
    said = fit(models.lda(2), corpus, sweeps=20, seed=1)._repr_html_()
    assert "<script>" not in said and "&lt;script&gt;" in said and "likeliest words" in said and "[U+202E]" in said
    assert corpus._repr_html_().startswith("<table>") and "<th>documents</th><td>10</td>" in corpus._repr_html_()
    assert models.hpyp()._repr_html_().startswith("<svg")
    links_alone = fit(models.lda(2), corpus, sweeps=0, seed=1)._repr_html_()
    assert links_alone.startswith("<p>Fit(")


class Notebook(types.ModuleType):
    """As much of IPython as a kernel has."""

    def __init__(self, kernel):
        super().__init__("IPython")
        self.drawn = []
        shell = types.SimpleNamespace(**({"kernel": object()} if kernel else {}))
        self.get_ipython = lambda: shell
        self.display = types.SimpleNamespace(HTML=str, display=self._display)

    def _display(self, html, display_id):
        assert display_id is True
        self.drawn.append(html)
        return types.SimpleNamespace(update=self.drawn.append)


def test_progress_in_a_notebook_is_one_line_that_changes(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", notebook := Notebook(kernel=True))
    monkeypatch.setattr("pitmanyor.results.notebook_bars.EVERY", 0.0)
    assert in_notebook()
    fit(models.lda(2), read(frame), sweeps=3, seed=1, progress=True)
    assert "starting" in notebook.drawn[0] and "sweep 3 of 3" in notebook.drawn[-1] and "2 topics" in notebook.drawn[-1]
    assert len(notebook.drawn) > 3 and all(html.startswith("<div>") for html in notebook.drawn)


def test_bars_of_several_chains_and_of_terminals(monkeypatch):
    made = NotebookBars([10, 10])
    made.update(Swept(2, 100, 5, -1234.5), 1)
    made.update(Swept(4, 100, 5, -1234.5), 1)
    assert "chain 0: starting" in made.html() and "chain 1 4 of 10, 5 topics, log joint -1,23" in made.html()
    assert "left" in made.html()
    monkeypatch.setitem(sys.modules, "IPython", Notebook(kernel=False))
    assert not in_notebook() and type(bars(True, [3])) is Bars


def test_a_run_that_was_read_from_a_frame_keeps_its_kind(fitted, tmp_path):
    fitted.save(tmp_path / "run")
    assert load(tmp_path / "run").corpus.report.frame == "pandas"


def test_results_show_themselves_in_notebooks_and_briefly_in_consoles(frame):
    result = fit(models.author_topic(), read(frame.assign(user=["<b>ann</b>", "bob"] * 10), id="key"), 40, keep=20)
    spread, found = result.prevalence("author"), result.infer(["Goal! The match", "fresh bread"])
    assert repr(spread).startswith("Prevalence(by author: 2 groups x") and "kept states" in repr(spread)
    assert repr(found).startswith("TopicShares(2 documents x") and len(repr(spread)) < 200
    for one in (spread, found, result.diagnose()):
        assert one._repr_html_().count("<table>") == 1 and "<b>" not in one._repr_html_()
    assert "&lt;b&gt;ann" in spread._repr_html_() and str(result.topic_count()) in result.topic_count()._repr_html_()
