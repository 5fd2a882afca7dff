"""Changed files: a typed error each, quickly, in little memory, and never a silent yes."""

import random
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitmanyor import Corpus, FileError, fit, load
from pitmanyor.runs.directory import read_header
from pitmanyor.runs.saved import SAMPLE_KIND, read_checked, read_saved
from saving import GRAPHS, OPTIONS, corpus_of

SECONDS, BYTES = 1.0, 64 << 20


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("mutants") / "run"
    fit(GRAPHS["author_topic"], corpus_of("author_topic"), sweeps=6, save_to=path, **OPTIONS)
    return path


def readers(path):
    header = read_header(path)
    sample = next(path.glob("sample-*"))
    return {
        path / "header.json": lambda: read_header(path),
        path / "corpus.safetensors": lambda: Corpus.load(path / "corpus.safetensors"),
        path / "state.safetensors": lambda: read_saved(path, header),
        sample: lambda: read_checked(sample, SAMPLE_KIND, header),
    }


def mutate(rng: random.Random, good: bytes) -> bytes:
    """The file with a change in it: what puts zeros upon zeros is no change."""
    while (bad := _change(rng, good)) == good:
        pass
    return bad


def _change(rng: random.Random, good: bytes) -> bytes:
    """A bit, some bytes, a cut, an insertion, a block of zeros, a block put elsewhere, or all of it twice."""
    at, size = rng.randrange(len(good)), rng.choice([1, 2, 8, 64, 512])
    block = good[at : at + size]
    return rng.choice(
        [
            lambda: good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) + good[at + 1 :],
            lambda: good[:at] + rng.randbytes(len(block)) + good[at + size :],
            lambda: good[:at],
            lambda: good[:at] + good[at + size :],
            lambda: good[:at] + rng.randbytes(size) + good[at:],
            lambda: good[:at] + bytes(len(block)) + good[at + size :],
            lambda: (rest := good[:at] + good[at + size :])[: (to := rng.randrange(len(good)))] + block + rest[to:],
            lambda: good + good[at:],
        ]
    )()


def test_every_changed_file_is_refused(run, pytestconfig):
    rng, n_mutants = random.Random(1), pytestconfig.getoption("--mutants")
    by_file = readers(run)
    slowest, n_tried = 0.0, 0
    tracemalloc.start()
    for file, reader in by_file.items():
        good = file.read_bytes()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        while n_tried < n_mutants * (1 + list(by_file).index(file)) // len(by_file):
            file.write_bytes(mutate(rng, good))
            started = time.process_time()
            with pytest.raises(FileError, match=file.name if file.name != "header.json" else "header.json|not a run"):
                reader()
            slowest = max(slowest, time.process_time() - started)
            n_tried += 1
        assert tracemalloc.get_traced_memory()[1] - before < BYTES
        file.write_bytes(good)
    tracemalloc.stop()
    assert n_tried == n_mutants
    assert slowest < SECONDS
    load(run)


def test_load_refuses_them_too(run):
    rng = random.Random(2)
    for file in readers(run):
        good = file.read_bytes()
        for _ in range(3):
            file.write_bytes(mutate(rng, good))
            with pytest.raises(FileError):
                load(run)
        file.unlink()
        with pytest.raises(FileError):
            load(run)
        file.write_bytes(good)
    load(run)


@settings(max_examples=100)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_other_header_is_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("header")
    (path / "header.json").write_bytes(content)
    with pytest.raises(FileError):
        read_header(path)


def test_files_of_other_runs_are_refused(run, tmp_path):
    fit(GRAPHS["author_topic"], corpus_of("author_topic"), sweeps=6, save_to=tmp_path / "run", **OPTIONS)
    state = tmp_path / "run" / "state.safetensors"
    state.write_bytes((run / "state.safetensors").read_bytes())
    with pytest.raises(FileError, match="state.safetensors: belongs to another run"):
        load(tmp_path / "run")
    corpus_of("hpyp").save(tmp_path / "run" / "corpus.safetensors")
    state.unlink()
    with pytest.raises(FileError, match="stopped before its first checkpoint"):
        load(tmp_path / "run")
