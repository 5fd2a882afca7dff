"""Ready models can be compiled ahead."""

from cli.calling import facts
from pitmanyor.cli import compiling
from pitmanyor.cli.parsing import READY
from pitmanyor.models import bursty, hpyp, tntm
from pitmanyor.reading import read
from pitmanyor.sampling.chain import SMALL_CORPUS
from pitmanyor.simulation import simulate_microblog
from pitmanyor.state import engines


def test_all_ready_models_are_among_the_parts():
    kinds = {name.partition(":")[0] for part in compiling.PARTS for name in part}
    assert kinds == {name.partition(":")[0] for name in READY}


def test_every_model_of_a_part_is_fitted_to_enough_text_for_both_kinds_of_sweeps(monkeypatch):
    fits = []
    monkeypatch.setattr(
        "pitmanyor.results.fitting.fit", lambda graph, corpus, **given: fits.append((graph, corpus, given))
    )
    visited = []
    monkeypatch.setattr(compiling, "visit_documents", lambda graph, corpus: visited.append(graph))
    names = sum(compiling.PARTS, ())
    compiling._compile(names)
    assert len(fits) == len(names)
    graph, corpus, _ = fits[-1]
    assert visited == [graph, bursty(graph), bursty(hpyp())]
    assert graph.link_sets and corpus.links["follows"] is not None
    assert "hashtag" in corpus.streams and len(corpus.streams["word"].words) > SMALL_CORPUS


def test_documents_are_visited_by_kernels_that_both_kinds_of_sweeps_need(monkeypatch):
    called = []
    for name in ("collapsed_sweep", "topic_nodes_sweep"):
        kernel = getattr(engines, name)
        watched = lambda *args, name=name, kernel=kernel: (called.append(name), kernel(*args))[1]  # noqa: E731
        monkeypatch.setattr(engines, name, watched)
    made = simulate_microblog(posts=20, authors=3, seed=1)
    compiling.visit_documents(tntm(), read(made.records, links=made.links))
    assert set(called) == {"collapsed_sweep", "topic_nodes_sweep"}


def test_the_doctor_compiles_if_asked(monkeypatch):
    monkeypatch.setattr(compiling, "compile_models", lambda: 1.25)
    assert facts("doctor", "--compile")["seconds to compile"] == 1.2
    assert "seconds to compile" not in facts("doctor")
