"""Run directories that somebody else has made: links, pipes, modules, sizes without end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pitmanyor
from pitmanyor import FileError, PlanError, Sampler, fit, load, resume
from pitmanyor.files import FORMAT, UNSIGNED, blake2b, read_arrays, write_arrays
from pitmanyor.machine import safe_children
from pitmanyor.runs.directory import find_runs
from pitmanyor.runs.lock import hold
from saving import GRAPHS, OPTIONS, corpus_of

needs_links = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links and pipes of Unix")


@pytest.fixture
def run(tmp_path):
    fit(GRAPHS["hdp_lda"], corpus_of("hdp_lda"), sweeps=2, save_to=tmp_path / "run", **OPTIONS)
    return tmp_path / "run"


@needs_links
def test_links_in_a_run_are_not_followed_for_writing(run, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("weights.json", "topics.csv", "sample-00000003.safetensors"):
        (run / name).symlink_to(precious)
    result = resume(run, sweeps=4, threads=1, progress=False)
    assert precious.read_text() == "mine"
    result.rename({0: "first"})
    (run / "names.json").rename(tmp_path / "names.json")
    (run / "names.json").symlink_to(tmp_path / "names.json")
    result.rename({0: "second"})
    assert "second" not in (tmp_path / "names.json").read_text() and "second" in (run / "names.json").read_text()
    (run / "lock").unlink()
    (run / "lock").symlink_to(precious)
    with pytest.raises(FileError, match="cannot be written there"):
        resume(run, sweeps=6, threads=1, progress=False)
    (run / "lock").unlink()
    os.link(precious, run / "lock")
    with pytest.raises(FileError, match="not a regular file of this run"), hold(run):
        pass
    assert precious.read_text() == "mine"


@needs_links
def test_a_chain_that_is_a_link_is_refused(run, tmp_path):
    (tmp_path / "chains").mkdir()
    (tmp_path / "chains" / "chain-0").symlink_to(run)
    with pytest.raises(FileError, match="chain-0: is a symbolic link"):
        find_runs(tmp_path / "chains")


@needs_links
@pytest.mark.parametrize("name", ["header.json", "corpus.safetensors", "state.safetensors", "lock"])
def test_pipes_are_refused_at_once(run, name):
    (run / name).unlink()
    os.mkfifo(run / name)
    with pytest.raises(FileError):
        resume(run, sweeps=4, threads=1, progress=False)
    if name != "lock":
        with pytest.raises(FileError):
            load(run)


@pytest.mark.parametrize(
    "entries",
    [
        '"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}',
        '"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}',
        '"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}',
        '"a":{"dtype":"I64","shape":[0,2305843009213693952],"data_offsets":[0,0]},'
        '"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}',
    ],
)
def test_arrays_that_overlap_or_have_no_size_are_refused(tmp_path, entries):
    said = f'{{"__metadata__":{{"checksum":"{UNSIGNED.decode()}","format":"{FORMAT}","header":"{{}}"}},{entries}}}'
    text = said.encode() + b" " * (-len(said) % 8)
    blank = len(text).to_bytes(8, "little") + text + bytes(8)
    digest = blake2b(blank, digest_size=32).hexdigest().encode()
    (tmp_path / "forged").write_bytes(blank.replace(UNSIGNED, digest, 1))
    with pytest.raises(FileError, match="makes no sense|do not fill the file"):
        read_arrays(tmp_path / "forged")


def test_settings_without_end_are_refused():
    for options in ({"passes": 2**31}, {"collapsed_first": 2**40}):
        with pytest.raises(PlanError, match="is at most"):
            Sampler(**options)
    with pytest.raises(PlanError, match="keep is at most"):
        fit(GRAPHS["lda"], corpus_of("lda"), sweeps=2**31 - 1, keep=2**31 - 1)


def test_what_is_written_again_is_read(tmp_path):
    write_arrays(tmp_path / "none", {}, {})
    assert read_arrays(tmp_path / "none") == ({}, {})


def test_children_do_not_look_for_modules_in_the_current_directory(tmp_path):
    (tmp_path / "colorsys.py").write_text("open('owned', 'w')\n")
    child = [sys.executable, "-c", "import colorsys"]
    subprocess.run(child, cwd=tmp_path, check=True)
    assert (tmp_path / "owned").exists()  # so it would be
    (tmp_path / "owned").unlink()
    before = os.environ.get("PYTHONSAFEPATH")
    with safe_children():
        subprocess.run(child, cwd=tmp_path, check=True)
    assert not (tmp_path / "owned").exists()
    assert os.environ.get("PYTHONSAFEPATH") == before


def test_no_process_is_started_without_a_safe_path():
    for place in Path(pitmanyor.__file__).parent.rglob("*.py"):
        text = place.read_text()
        if "ProcessPoolExecutor(" in text or "LocalCluster(" in text:
            assert "safe_children()" in text, place
        if "Popen(" in text:
            assert '"-P"' in text, place
