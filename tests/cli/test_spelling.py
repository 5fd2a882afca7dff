"""Settings that messages name are spelled as they are typed on the command line."""

import ast
import re
from pathlib import Path

import pytest

import pitmanyor
from calling import call
from pitmanyor.cli.spelling import SETTING, spelled

HOME = Path(pitmanyor.__file__).parent
# What the command line does not have: the graph language, tables, matrices, a share of Corpus.split, and functions
# of Python alone. Of similar posts the command line names the options itself.
PYTHON_ONLY = {
    "concentration_per", "discount", "document", "kind", "over", "posts", "test", "threads", "topic", "vocabulary",
}  # fmt: skip
LIBRARY = (
    "corpus", "evaluate", "export", "fold_in", "plan", "reading", "results", "runs", "sampling", "shards", "state",
    "topics",
)  # fmt: skip


def texts_of(path):
    """Every text of a module that is no docstring; what an f-string fills in is 'x'."""
    tree, out = ast.parse(path.read_text()), set()
    nodes = list(ast.walk(tree))
    skip = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    skip |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if id(node) in skip:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            out.add(node.value)
        if isinstance(node, ast.JoinedStr):
            out.add("".join(str(part.value) if isinstance(part, ast.Constant) else "'x'" for part in node.values))
    return out


def settings_of(package):
    """Messages that name a setting, by the setting."""
    for path in sorted((HOME / package).rglob("*.py")):
        for text in texts_of(path):
            for found in SETTING.finditer(text) if "<" not in text else ():
                yield found[1], text


@pytest.mark.parametrize("package", LIBRARY)
def test_every_setting_that_a_message_names_is_spelled(package):
    left = {name for name, text in settings_of(package) if re.search(rf"(?<!-O )\b{name}=", spelled(text))}
    assert left <= PYTHON_ONLY


def test_there_are_such_messages():
    assert len(list(settings_of("reading"))) > 30


@pytest.mark.parametrize(
    ("python", "typed"),
    [
        ("duplicates='drop'", "-O duplicates=drop"),
        ("skip_bad_lines=True", "--skip-bad-lines"),
        ("author=False", "-O author=false"),
        ("id=False", "-O id=false"),
        ("text=", "--text"),
        ("stop_words=None", "-O stop_words=none"),
        ("missing_values=['no one']", "-O missing_values='[\"no one\"]'"),
        ("groups=['party', 'city']", "--group party --group city"),
        ("min_posts=", "-O min_posts=..."),
        ("max_topics=20", "--max-topics 20"),
        ("chains=4", "--chains 4"),
        ("burn_in=5", "--burn-in 5"),
        ("network=Network(n_topics=10)", "--n-topics 10"),
        ("Sampler(moves=False)", "--no-moves"),
        ('Sampler(kind="mixed")', "--sampler mixed"),
        ("Start(topics=0)", "--start-topics 0"),
        ("Sampler(passes=1)", "Sampler(passes=1)"),
        ("models.lda(20)", "--model lda:20"),
        ("discount=0.5", "discount=0.5"),
        ("x.csv?id=5", "x.csv?id=5"),
        ("-O id=5", "-O id=5"),
    ],
)
def test_how_settings_are_spelled(python, typed):
    assert spelled(f"pass {python}, or not") == f"pass {typed}, or not"


def test_names_of_files_stay(monkeypatch):
    monkeypatch.setattr("sys.argv", ["pitmanyor", "check", "label=3.csv"])
    assert spelled("label=3.csv: pass label=3") == "label=3.csv: pass --label 3"


def test_warnings_errors_and_reports_of_commands(tmp_path):
    rows = ["id,user,text", *(f"{i % 6},ann,goal match team {i % 3}" for i in range(12))]
    (tmp_path / "posts.csv").write_text("\n".join(rows))
    said = call("check", tmp_path / "posts.csv", code=3)
    assert "-O duplicates=drop" in said.stderr and "-O id=false" in said.stderr and "id=False" not in said.stderr
    said = call("check", tmp_path / "posts.csv", "-O", "id=false")
    assert "-O duplicates=keep" in said.stderr and "duplicates='" not in said.stdout + said.stderr
    said = call("check", tmp_path / "posts.csv", "-O", "id=false", "-O", "retweets=drop", "-O", "missing_author=drop")
    assert "='" not in said.stdout
    said = call("fit", tmp_path / "posts.csv", "-O", "id=false", "--n-topics", 20, "-o", tmp_path / "run", code=3)
    assert "fit --model lda:20, for an upper bound pass --max-topics 20" in said.stderr
