"""What the package says about itself, in one place, and what the project keeps beside it."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import pitmanyor

ROOT = Path(__file__).resolve().parent.parent
FILES = (
    "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md", ".pre-commit-config.yaml",
    ".github/workflows/tests.yml", ".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml",
)  # fmt: skip


def test_the_version_is_said_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project and "version" in project["dynamic"]
    assert pitmanyor.__version__ == version("pitmanyor")
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", pitmanyor.__version__)


@pytest.mark.parametrize("name", FILES)
def test_files_of_the_project_are_there_and_name_only_what_is_there(name):
    text = (ROOT / name).read_text("utf-8")
    assert text.endswith("\n") and "\t" not in text
    for place in re.findall(r"\]\(((?!https?:)[^)#]+)", text):
        assert (ROOT / place).exists(), place
    for place in re.findall(
        r"`((?:src|tests|docs|tools|benchmarks|examples|kernels|state|evaluate|results|cli)/[\w./-]+)`", text
    ):
        assert (ROOT / place).exists() or (ROOT / "src" / "pitmanyor" / place).exists(), place


def test_the_extras_of_tests_are_those_of_users():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for name in ("text", "figures", "arviz", "serve", "sklearn", "docs"):
        assert set(extras[name]) <= set(extras["dev"]), name
