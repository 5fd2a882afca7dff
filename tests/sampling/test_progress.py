"""Progress bars: one for each chain, with the time left."""

import io
import math
import re
import sys
from types import SimpleNamespace

import numba
import pytest
from rich.console import Console

from pitmanyor import Corpus, Sampler, Start, models
from pitmanyor.plan import compile_plan
from pitmanyor.results.notebook_bars import NotebookBars
from pitmanyor.runs.advance import advance, new_run
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.sampling.progress import Bars, Swept


def drawn(bars):
    console = Console(file=io.StringIO(), width=140, force_terminal=True, color_system=None)
    console.print(bars._bar)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_nothing_is_drawn_unless_asked_for():
    with Bars(False, [10]) as bars:
        bars.update(Swept(1, 1000, 3, -5.0))
        assert bars._bar is None


def test_a_line_for_every_chain():
    bars = Bars(True, [10, 10])
    bars.update(Swept(1, 1000, 3, -5000.0))
    bars.update(Swept(4, 1000, 2, -4000.0), 1)
    bars.update(Swept(5, 1000, 2, -3900.0), 1)
    first, second = drawn(bars)
    assert re.match(r"chain 0 +1/10 .* starting +3 topics log joint -5,000", first)
    assert re.match(r"chain 1 +5/10 .* tokens/s +2 topics log joint -3,900", second)
    (alone,) = drawn(Bars(True, [7]))
    assert re.match(r"sweep +0/7 .* starting +- topics", alone)


def test_sweeps_from_before_a_resume_take_no_time():
    bars = Bars(True, [1000])
    bars.update(Swept(900, 1000, 3, -5.0))
    (task,) = bars._bar.tasks
    assert task.completed == 900 and task.speed is None


def test_the_search_for_a_start_is_shown_with_its_topics():
    bars = Bars(True, [10])
    bars.update(Swept(0, 1000, 40, math.nan))
    (line,) = drawn(bars)
    assert re.match(r"sweep +0/10 .* finding a start +40 topics log joint -", line)


def test_whoever_follows_a_fit_hears_of_the_search():
    corpus = Corpus.from_tokens([["a", "b", "c"], ["c", "d"], ["a", "d"]] * 4)
    settings = Settings(sweeps=2, seed=1, sampler=Sampler(), start=Start(topics=3))
    heard = []
    advance(
        new_run(compile_plan(models.hpyp(), corpus), models.hpyp(), settings, 1),
        progress=SimpleNamespace(update=lambda swept: heard.append(swept.n_sweeps)),
    )
    assert heard[0] == 0 and heard[-2:] == [1, 2]


def compile_something():
    """A kernel that is called for the first time."""

    def doubled(x):
        return 2 * x

    doubled.__module__ = "pitmanyor.kernels.here"
    assert numba.njit(doubled)(2) == 4


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_compiling_is_announced_above_the_bars_and_its_time_told(capsys):
    with Bars(True, [10]):
        compile_something()
    said = " ".join(capsys.readouterr().err.split())
    assert said.index("Compiling the sampler for this machine") < said.index("Compiling took")
    with Bars(False, [10]):
        compile_something()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_notebook_says_so_too(monkeypatch):
    shown = SimpleNamespace(update=lambda html: None)
    display = SimpleNamespace(HTML=str, display=lambda html, display_id: shown)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    with NotebookBars([10]) as bars:
        compile_something()
        assert "Compiling the sampler for this machine" in bars.html()
    assert "Compiling took" in bars.html()
