"""The topics of documents block by block are those of all at once."""

import json

import numpy as np
import pytest

from pitmanyor import fit, models, similar
from pitmanyor.export import pyldavis, tables, write_pyldavis, write_tables
from pitmanyor.topics import author_shares, blocks, merge, view
from pitmanyor.topics.blocks import document_blocks


@pytest.fixture
def small(monkeypatch):
    """Blocks of a few documents."""
    monkeypatch.setattr(blocks, "CELLS", 20)


@pytest.fixture(scope="module")
def own(plain):
    """Every document with a concentration of its own, and authors that the model knows nothing of."""
    return fit(models.hpyp().set("theta", concentration_per="instance"), plain.corpus, sweeps=5, seed=1)


@pytest.mark.parametrize("which", ["blog", "plain", "joined", "own"])
def test_blocks_are_parts_of_the_whole(which, small, request):
    found = request.getfixturevalue(which)
    for stream in found.graph.streams:
        parts = list(document_blocks(found, stream=stream.name))
        assert len(parts) > 2 and [part.start for part in parts] == np.cumsum([0, *map(len_of, parts[:-1])]).tolist()
        whole = np.concatenate([part.shares for part in parts])
        assert whole == pytest.approx(found.document_shares(stream.name), abs=1e-12)


def len_of(block):
    return len(block.shares)


def test_merged_topics_are_one_column_of_a_block(named, small):
    merge(named, [0, 1])
    shown = view(named)
    whole = np.concatenate([block.shares for block in document_blocks(named, shown)])
    assert whole == pytest.approx(shown.fold(named.document_shares()))


def test_what_is_made_of_blocks_does_not_depend_on_their_size(blog, plain, tmp_path, monkeypatch):
    def made(where):
        paths = write_tables(blog, where / "csv", n_words=2) + write_tables(blog, where / "parquet", "parquet", 2)
        write_pyldavis(blog, where / "vis.json")
        return {path.name: path.read_bytes() for path in [*paths, where / "vis.json"] if path.suffix != ".parquet"} | {
            "near": similar(blog, document=7),
            "groups": author_shares(plain, "half")[1].tolist(),
        }

    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one = made(tmp_path / "one")
    monkeypatch.setattr(blocks, "CELLS", 150)
    other = made(tmp_path / "other")
    assert one == other and len(one) > 10
    said = json.loads(one["vis.json"])
    for name, value in pyldavis(blog).items():
        assert np.asarray(said[name]).tolist() == np.asarray(value).tolist(), name
    import duckdb

    first, second = (
        duckdb.sql(f"select * from '{tmp_path / name / 'parquet' / 'documents.parquet'}'").fetchnumpy()
        for name in ("one", "other")
    )
    assert list(first) == list(tables(blog)["documents"])
    assert all(first[name].tolist() == second[name].tolist() for name in first)
