"""Forged runs that go on in shards: refused as `load` refuses them."""

import random
import shutil

import numpy as np
import pytest

from forging import changed
from pitmanyor import FileError, Sampler, fit, load, resume
from pitmanyor.files import read_arrays, write_arrays
from pitmanyor.shards import budget
from shard_chains import MODELS, corpus_of

OPTIONS = {"seed": 3, "keep": 1, "progress": False, "threads": 1, "sampler": Sampler(anchors=0.1, moves=False)}


@pytest.fixture(scope="module", params=["tntm", "words of authors", "a concentration for each document"])
def run(request, tmp_path_factory):
    home, graph = tmp_path_factory.mktemp("forged"), MODELS[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pitmanyor.sampling.chain.SMALL_CORPUS", 0)
        patch.setattr(budget, "LEAST_TOKENS", 100)
        patch.setattr(budget, "PER_TOKEN", 10**6)
        patch.setattr("pitmanyor.state.some_documents.PIECE", 100)
        fit(graph, corpus_of(graph), 3, save_to=home / "run", **OPTIONS)
        yield home


def forge(home, change):
    """A copy of the run whose state is changed, and what to do with it."""
    path = home / "forged"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(home / "run", path)
    said, arrays = read_arrays(path / "state.safetensors")
    change(arrays)
    write_arrays(path / "state.safetensors", said, arrays)
    return path


def is_taken(ask, path):
    try:
        ask(path)
    except FileError as error:
        assert "forged" in str(error)  # it names the file
        return False
    return True


def in_shards(path):
    return resume(path, 4, threads=1, progress=False, memory="2GB")


def test_counts_that_are_not_those_of_the_tokens_are_refused(run):
    """All of these are in range, one by one."""

    def move_a_token(arrays):
        arrays["topic"] = (arrays["topic"] + 1) % (arrays["topic"].max() + 1)

    def one_customer_more(arrays):
        arrays["counts"][:, 0] += 1

    def other_measures(arrays):
        arrays["measures"] = arrays["measures"] * np.float32(1e9)

    for change, what in ((move_a_token, "tokens|tables"), (one_customer_more, "tokens"), (other_measures, "measures")):
        with pytest.raises(FileError, match=what):
            in_shards(forge(run, change))
    assert is_taken(in_shards, forge(run, lambda _: None))


@pytest.mark.filterwarnings("ignore")
def test_forgeries_are_refused_where_load_refuses_them(run, pytestconfig):
    rng, n_taken = random.Random(5), 0
    for _ in range(max(pytestconfig.getoption("--forgeries") // 30, 10)):
        said = []

        def change(arrays, said=said):
            name = rng.choice(sorted(arrays))
            arrays[name] = changed(rng, arrays[name])
            said.append(name)

        path = forge(run, change)
        taken = is_taken(load, path)
        n_taken += taken
        assert is_taken(in_shards, path) == taken, said
    assert n_taken < 10 or n_taken < pytestconfig.getoption("--forgeries") // 60
