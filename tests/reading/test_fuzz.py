"""Every reader under a fuzzer guided by coverage: posts and links, or a sentence that says what is wrong.

`--executions 10000000` tries more. An input that ended in anything else is kept in the test's directory, and named.
"""

import gzip
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import pitmanyor.reading
from fuzzing import Fuzzer
from pitmanyor import read
from pitmanyor.errors import PitmanyorError
from pitmanyor.export.sheets import write_table

ROWS = [
    {"text": "oven bread #food", "author": "ann", "time": "2026-01-01"},
    {"text": 'planets, "stars" @bob http://a.b', "author": "bob", "time": "2026-02-01T10:00:00Z"},
]
CSV = 'text,author,time\noven bread #food,ann,2026-01-01\n"planets, ""stars""\n@bob",bob,2026-02-01\n'
JSONL = '{"text": "oven bread", "author": "ann", "tags": ["a", "b"]}\n{"text": "stars", "author": null, "n": 1.5}\n'
GRAPH = (
    '<?xml version="1.0" encoding="utf-8"?><graphml><key id="k" for="node" attr.name="label"/>'
    '<graph edgedefault="directed"><node id="1"><data key="k">ann</data></node>'
    '<node id="2"><data key="k">bob</data></node>'
    '<edge source="1" target="2"/></graph></graphml>'
)
GEXF = (
    '<gexf><graph defaultedgetype="directed"><nodes><node id="1" label="ann"/><node id="2" label="bob"/></nodes>'
    '<edges><edge source="1" target="2" weight="2"/></edges></graph></gexf>'
)
POSTS = [{"text": "oven", "author": "ann"}, {"text": "stars", "author": "bob"}]


def parquet():
    with TemporaryDirectory() as home:
        write_table({name: np.array([row[name] for row in ROWS]) for name in ROWS[0]}, Path(home, "x.parquet"))
        return Path(home, "x.parquet").read_bytes()


POSTS_READERS = {
    "csv": (".csv", [CSV, CSV.replace(",", ";"), CSV.replace("\n", "\r\n")]),
    "tsv": (".tsv", [CSV.replace(",", "\t")]),
    "jsonl": (".jsonl", [JSONL]),
    "json": (".json", ["[" + ",".join(JSONL.splitlines()) + "]", '{"data": [' + JSONL.splitlines()[0] + "]}"]),
    "txt": (".txt", ["oven bread\nplanets stars\n", "\ufeffüber naïve 日本語\n"]),
    "gz": (".csv.gz", [gzip.compress(CSV.encode(), mtime=0)]),
    "parquet": (".parquet", [parquet()]),
}
LINK_READERS = {
    "edges": (".edges", ["ann bob\nbob ann 3\n", "# from to\nann\tbob\n"]),
    "edges in csv": (".csv", ["source,target,weight\nann,bob,1\n"]),
    "edges in json": (".jsonl", ['{"source": "ann", "target": "bob"}\n']),
    "graphml": (".graphml", [GRAPH]),
    "gexf": (".gexf", [GEXF]),
}


@pytest.mark.parametrize("name", [*POSTS_READERS, *LINK_READERS])
def test_no_input_ends_in_anything_but_a_corpus_or_a_sentence(name, tmp_path, pytestconfig):
    ending, seeds = (POSTS_READERS | LINK_READERS)[name]
    path = tmp_path / f"x{ending}"
    taken = 0

    def run(content):
        nonlocal taken
        path.write_bytes(content)
        try:
            read(POSTS, links=path) if name in LINK_READERS else read(path)
            taken += 1
        except PitmanyorError as error:
            str(error).encode()
        except Exception:
            kept = tmp_path / f"failed{ending}"
            kept.write_bytes(content)
            print(f"kept in {kept}")
            raise

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = [one.encode() if isinstance(one, str) else one for one in seeds]
        fuzzer = Fuzzer(given, run, pitmanyor.reading.__path__[0])
        assert taken == len(given)
        n_executions = pytestconfig.getoption("--executions") // len(POSTS_READERS | LINK_READERS)
        for _ in range(n_executions):
            fuzzer.step()
    assert len(fuzzer.kept) > len(given)  # it was guided
    assert taken < len(fuzzer.kept) + n_executions  # and some inputs were refused
