"""Forged runs: files whose checksums are right and whose content is not. A FileError, or a run that is as sound as any.

Whoever shares a run can compute its checksums again. One array (or a value of a header) is changed at a time, in every
file of runs of every ready model; then the run is loaded, asked and resumed.
"""

import json
import random
import shutil
import warnings
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from forging import changed
from oracle.invariants import check
from pitmanyor import Corpus, FileError, Network, fit, load, models, resume, simulate
from pitmanyor.files import read_arrays, write_arrays
from pitmanyor.kernels.restaurant.refresh import refresh_all
from pitmanyor.runs.directory import read_header, write_header
from pitmanyor.state.packing import find_packings
from saving import GRAPHS, OPTIONS, corpus_of

LINKED = models.tntm().set("*", concentration=2.0)
NAMES = [*GRAPHS, "linked", "packed"]
SWEEPS = 4


def new_run(name, path):
    if name == "linked":
        truth = simulate(LINKED, documents=12, tokens=5, groups={"author": 4}, vocabulary=10, seed=2)
        options = OPTIONS | {"network": Network(text_sweeps=2, spare_topics=1)}
        return fit(models.tntm(), truth.corpus, sweeps=SWEEPS, save_to=path, **options)
    graph = "hdp_lda" if name == "packed" else name
    return fit(GRAPHS[graph], corpus_of(graph), sweeps=SWEEPS, save_to=path, **OPTIONS)


@pytest.fixture(scope="module", params=NAMES)
def run(request, tmp_path_factory):
    """The place of a run, and of its forgeries."""
    home = tmp_path_factory.mktemp("forged")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if request.param == "packed":
            patch.setattr("pitmanyor.state.packing.ROOM", 16 * 48 * 4)
            patch.setattr("pitmanyor.state.packing.LONGEST", 4)
        state = new_run(request.param, home / "run").state
        assert (request.param == "packed") == bool(find_packings(state.plan, state.capacity))
        load(home / "run")
        patch.setattr("pitmanyor.state.some_documents.PIECE", 16)  # tokens, so that checks go piece by piece
        yield home


def forge(rng, home):
    """One more copy of the run with one thing changed; says which."""
    path = home / "forged"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(home / "run", path)
    file = rng.choice(sorted(path.glob("*.safetensors")) + [path / "state.safetensors"] * 2)
    said, arrays = read_arrays(file)
    name = rng.choice(sorted(arrays))
    if rng.random() < 0.1:
        said, name = wrong_header(rng, said), "header"
    else:
        was = arrays[name]
        arrays[name] = changed(rng, was)
        if arrays[name].dtype == was.dtype and arrays[name].tobytes() == was.tobytes():
            return forge(rng, home)
    write_arrays(file, said, arrays)
    if file.name == "corpus.safetensors":
        with suppress(FileError):
            write_header(path, replace(read_header(path), corpus_hash=Corpus.load(file).content_hash))
    return f"{file.name}: {name}"


def wrong_header(rng, said):
    """What a file says with a value in it replaced."""
    said = json.loads(json.dumps(said))
    name = rng.choice([key for key in said if key not in ("kind", "schema", "run")])
    said[name] = rng.choice([None, -1, 2**31, 2**70, "x", [], {}, [1], 0.5, [[1, 1]], [[2**31, 2]]])
    return said


def try_out(path):
    """All that a run is asked for. True if it was taken for sound, and then it is."""
    try:
        result = load(path)
        for node in result.graph.nodes:
            for at in (result, *result.samples):
                mean = at.mean(node.name)
                assert np.isfinite(mean).all() and (mean > -1e-9).all() and (mean < 1 + 1e-6).all()
        assert np.isfinite(result.log_joint)
        shares = result.infer([list(result.corpus.vocabulary[:3])], sweeps=4)
        assert np.isfinite(shares.shares).all()
        if not len(result.state.net.packed_first):
            refresh_all(result.state.net, result.state.tables)  # terms may differ in their last bits
            check(result.state)
        resumed = resume(path, sweeps=SWEEPS + 2, threads=1, progress=False)
        assert resumed.n_sweeps == SWEEPS + 2
        assert np.isfinite(resumed.log_joint)
    except FileError:
        return False
    return True


@pytest.mark.filterwarnings("ignore")
def test_forged_runs_are_refused_or_sound(run, request, pytestconfig):
    name = request.node.callspec.params["run"]
    rng, taken = random.Random(name), []
    n_forged = pytestconfig.getoption("--forgeries") // len(NAMES)
    failed = []
    for turn in range(n_forged):
        what = forge(rng, run)
        try:
            taken += [what] if try_out(run / "forged") else []
        except Exception as error:
            kept = shutil.copytree(run / "forged", run / f"failed-{turn}")
            failed.append(f"{name}: {what}: {error!r} ({kept})")
    print(f"{name}: {n_forged} forged, {len(taken)} of them sound: {sorted(set(taken))}")
    assert not failed, "\n".join(failed)
    assert len(taken) < n_forged / 2
