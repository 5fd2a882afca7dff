"""Every example of the README and of the documentation runs, and the site builds without a warning.

Blocks of a page run one after the other, Python ones in one namespace, in a directory with the files that the guides
use (`helpers/pages.py`): posts.csv, more.csv, follows.csv, and the runs `run` and `run-hpyp`. Fits make 25 times fewer
sweeps than the page says, and no more than two chains.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys

import matplotlib
import pytest
import typer.main

from calling import call
from pages import PAGES, ROOT, Block, blocks, commands, faster_fit, faster_resume, write_example_files
from pitmanyor import fit, models, read
from pitmanyor.cli.app import app
from pitmanyor.results import fitting

matplotlib.use("agg")
WITH_CODE = [page for page in PAGES if blocks(page)]


@pytest.fixture(scope="session")
def example_files(tmp_path_factory):
    """The files of the guides, with two runs of the same posts."""
    home = tmp_path_factory.mktemp("pages")
    write_example_files(home)
    corpus = read(home / "posts.csv", links=home / "follows.csv", min_df=2)
    fit(models.tntm().without("follows"), corpus, sweeps=40, seed=1, keep=20, save_to=home / "run")
    fit(models.hpyp(), corpus, sweeps=20, seed=1, save_to=home / "run-hpyp")
    return home


@pytest.fixture
def workplace(example_files, tmp_path, monkeypatch):
    """A copy of the files, as the working directory; fits are short."""
    home = tmp_path / "work"
    shutil.copytree(example_files, home)
    monkeypatch.chdir(home)
    monkeypatch.setattr(fitting, "fit", faster_fit(fitting.fit))
    monkeypatch.setattr(fitting, "resume", faster_resume(fitting.resume))
    return home


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.filterwarnings("ignore::pitmanyor.errors.EvidenceWarning")
def test_the_examples_of_a_page_run(page, workplace):
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page):
        if block.language == "sh":
            run_commands(block)
        elif block.run:
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        else:
            compile(block.text, str(page), "exec")


def run_commands(block: Block) -> None:
    """Run the commands of pitmanyor, or only parse them if the block is not run; of others, see that they exist."""
    for program, *words in commands(block.text):
        if program == "pitmanyor" and block.run:
            if words[0] == "fit":  # a run that is there would be refused
                shutil.rmtree(words[words.index("-o") + 1], ignore_errors=True)
            call(*words)
        elif program == "pitmanyor":
            command = typer.main.get_command(app).commands[words[0]]
            command.make_context(words[0], words[1:])
        elif program == "make":
            assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), words
        elif program == "python" and words[0] == "-m":
            assert importlib.util.find_spec(words[1]), words
        else:
            assert (program, words[0]) == ("pip", "install"), (program, words)


def test_blocks_that_must_not_run_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n\n```python\nx = 1\n```\n\n<!-- not run: slow -->\n```sh\nmake test\n```\n\n```text\nno\n```\n")
    assert blocks(page) == [Block("python", "x = 1\n", 4, True), Block("sh", "make test\n", 9, False)]


def test_the_site_builds_without_a_warning(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(ROOT / "docs"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    for page in ("index", "reference/cli", "reference/graphs", "gallery"):
        assert (tmp_path / f"{page}.html").is_file()
    assert (tmp_path / "gallery.html").read_text("utf-8").count("<figure") == 10
    maths = (tmp_path / "maths.html").read_text("utf-8")
    if importlib.util.find_spec("sphinx-mathjax-offline"):
        assert 'src="_static/mathjax/tex-chtml.js' in maths and (tmp_path / "_static/mathjax/tex-chtml.js").is_file()
    assert "--hold-links" in (tmp_path / "reference" / "cli.html").read_text("utf-8")


def test_every_page_of_the_public_api_is_documented():
    import pitmanyor

    written = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs" / "reference").glob("*.md"))
    modules = ("pitmanyor.topics", "pitmanyor.evaluate", "pitmanyor.export", "pitmanyor.figures", "pitmanyor.errors")
    whole = {name for module in modules for name in vars(importlib.import_module(module))}
    missing = [
        name
        for name in pitmanyor.__all__
        if name not in whole and name not in ("evaluate", "models") and f"pitmanyor.{name}" not in written
    ]
    assert not missing and all(module in written for module in modules)
