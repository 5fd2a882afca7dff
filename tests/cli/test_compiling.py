"""Ready models can be compiled ahead, and then a first fit compiles nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

import calling
from calling import facts
from pitmanyor.cli import compiling
from pitmanyor.cli.parsing import READY, find_model
from pitmanyor.graph import Beta
from pitmanyor.kernels.runtime import kernel_cache
from pitmanyor.models import bursty, hpyp, tntm
from pitmanyor.reading import read
from pitmanyor.sampling.chain import SMALL_CORPUS
from pitmanyor.simulation import simulate_microblog
from pitmanyor.state import engines


def test_all_ready_models_are_among_the_parts():
    kinds = {name.partition(":")[0] for part in compiling.PARTS for name in part}
    assert kinds == {name.partition(":")[0] for name in READY}


def called_kernels(what: str) -> set[str]:
    """Kernels and their types that a process of its own asks for."""
    script = Path(calling.__file__).with_name("called_kernels.py")
    done = subprocess.run([sys.executable, str(script), what], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def test_default_fits_call_no_kernel_that_is_not_compiled_ahead():
    ahead, called = called_kernels("ahead"), called_kernels("fit")
    assert called - ahead == set()
    names = " ".join(called)
    assert all(kernel in names for kernel in ("seat_path", "restore", "log_likelihood", "fold_clusters"))


def test_every_model_of_a_part_is_fitted_to_enough_text_for_both_kinds_of_sweeps(monkeypatch):
    fitted, visited = [], []
    monkeypatch.setattr(compiling, "fit_and_fold_in", lambda graph, corpus: fitted.append((graph, corpus)))
    monkeypatch.setattr(compiling, "visit_documents", lambda graph, corpus: visited.append(graph))
    names = sum(compiling.PARTS, ())
    compiling._compile(names)
    graphs = [graph for graph, _ in fitted]
    sampled = {"hpyp": [hpyp().set("*", discount=Beta(1, 1))], "tntm": [tntm().set("*", discount=Beta(1, 1))]}
    assert graphs == [graph for name in names for graph in (find_model(name), *sampled.get(name, ()))]
    assert visited == [tntm(), bursty(tntm()), bursty(hpyp())]
    corpus = fitted[-1][1]
    assert graphs[-1].link_sets and corpus.links["follows"] is not None
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


def installing(monkeypatch, home, installed):
    """What an installation does where so many kernels are installed, and so many of them serve."""
    done, place = [], home / "machine_code"
    place.mkdir()
    (place / "old").write_text("")
    monkeypatch.setattr(kernel_cache, "INSTALLED", place)
    monkeypatch.setattr(kernel_cache, "count_installed", lambda: installed)
    monkeypatch.setattr(compiling, "compile_models", lambda: done.append(place.exists()))
    monkeypatch.setattr(kernel_cache, "copy_kernels", lambda to: (to.mkdir(), (to / "new").write_text("")))
    compiling.compile_for_installation()
    return done, sorted(file.name for file in home.rglob("*"))


@pytest.mark.parametrize("installed", [(0, 0), (3, 0), (3, 2)])
def test_an_installation_keeps_what_it_compiles_and_nothing_else(monkeypatch, tmp_path, installed):
    done, found = installing(monkeypatch, tmp_path, installed)
    assert done == [False] and found == ["machine_code", "new"]
    assert {f"pitmanyor.kernels.{name}" for name in ("network.masses", "split_merge.moves")} <= set(sys.modules)


def test_what_serves_is_not_compiled_again(monkeypatch, tmp_path):
    assert installing(monkeypatch, tmp_path, (3, 3)) == ([], ["machine_code", "old"])


def test_the_doctor_compiles_if_asked(monkeypatch):
    monkeypatch.setattr(compiling, "compile_models", lambda: 1.25)
    assert facts("doctor", "--compile")["seconds to compile"] == 1.2
    assert "seconds to compile" not in facts("doctor")
