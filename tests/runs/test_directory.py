"""Headers: what they keep, and what is said of those that are of another kind."""

import json
from dataclasses import replace
from hashlib import blake2b

import pytest

from pitmanyor import FileError, Sampler, Start
from pitmanyor.runs.chain_settings import Settings
from pitmanyor.runs.directory import create, find_runs, new_header, read_header, write_header
from saving import GRAPHS, corpus_of

SETTINGS = Settings(
    sweeps=40, seed=7, keep=4, max_topics=9, sampler=Sampler(collapsed_first=3, anchors=0.1, rule="paper"),
    start=Start(topics=0, chain=2),
)  # fmt: skip


def changed(group, **fields):
    """The settings with some fields of a group changed."""
    said = SETTINGS.to_json()
    return said | {group: said[group] | fields}


@pytest.fixture
def header():
    return new_header(GRAPHS["tntm"], SETTINGS, corpus_of("tntm"))


@pytest.fixture
def path(tmp_path, header):
    assert create(tmp_path / "run", [header], corpus_of("tntm")) == [tmp_path / "run"]
    return tmp_path / "run"


def forge(path, **changes):
    """A header whose checksum is right."""
    said = json.loads((path / "header.json").read_text()) | changes | {"checksum": "0" * 64}
    body = json.dumps(said, indent=2).encode()
    right = blake2b(body, digest_size=32).hexdigest().encode()
    (path / "header.json").write_bytes(body.replace(b"0" * 64, right, 1))


def test_a_header_comes_back(path, header):
    assert read_header(path) == header
    longer = header.with_settings(replace(SETTINGS, sweeps=80))
    write_header(path, longer)
    assert read_header(path) == longer != header


def test_kept_sweeps_are_spread_over_the_second_half():
    assert sorted(SETTINGS.kept) == [25, 30, 35, 40]
    assert Settings(sweeps=3, seed=1).kept == frozenset()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"schema": 2},
            "is 'pitmanyor run' of schema 2, and this version of pitmanyor reads 'pitmanyor run' of schema 3",
        ),
        ({"kind": "cake"}, "is 'cake' of schema 3"),
        ({"settings": {}}, "makes no sense .settings .* are missing or unknown"),
        ({"settings": SETTINGS.to_json() | {"sweeps": -1}}, "sweeps must be a whole number, 0 or more, not -1"),
        ({"settings": SETTINGS.to_json() | {"seed": True}}, "seed must be a whole number, 0 or more, not True"),
        ({"settings": SETTINGS.to_json() | {"max_topics": 0}}, "max_topics must be a whole number, 1 or more, not 0"),
        ({"settings": changed("sampler", anchors=2)}, "anchors must be a share of the documents"),
        ({"settings": changed("sampler", anchors=None)}, "sampler has no anchors"),
        ({"settings": changed("sampler", rule="x")}, "rule must be one of clamp, paper, singleton, not 'x'"),
        ({"settings": changed("start", chain=-1)}, "chain must be a whole number, 0 or more, not -1"),
        ({"settings": changed("network", tempo=1)}, "settings tempo are missing or unknown"),
        ({"settings": SETTINGS.to_json() | {"network": None}}, "makes no sense"),
        ({"graph": []}, "the graph must be an object"),
        ({"run": 5}, "a name that is no text"),
    ],
)
def test_a_header_that_lies_is_refused(path, changes, message):
    forge(path, **changes)
    with pytest.raises(FileError, match=message):
        read_header(path)


def test_where_something_is_no_run_is_made(tmp_path, header):
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="already exists; choose another directory$"):
        create(tmp_path / "file", [header], corpus_of("tntm"))
    with pytest.raises(FileError, match="no run can be made there"):
        create(tmp_path / "file" / "below", [header], corpus_of("tntm"))
    create(tmp_path / "empty", [header], corpus_of("tntm"))
    assert sorted(child.name for child in tmp_path.iterdir()) == ["empty", "file"]


def test_chains_side_by_side_are_found(tmp_path, header):
    headers = [header.with_settings(header.settings.of_chain(chain)) for chain in (10, 2, 0)]
    homes = create(tmp_path / "run", headers, corpus_of("tntm"))
    assert [home.name for home in homes] == ["chain-10", "chain-2", "chain-0"]
    assert find_runs(tmp_path / "run") == homes[::-1]  # by number
    assert find_runs(homes[1]) == [homes[1]] and read_header(homes[1]).settings.chain == 2
    (tmp_path / "run" / "chain-x").mkdir()
    assert find_runs(tmp_path / "run") == homes[::-1]
