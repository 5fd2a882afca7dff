"""A corpus that is larger than memory: what a fit takes follows shards, documents and the model, not the tokens."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from high_water import STATUS
from pitmanyor.corpus import Corpus, Stream
from pitmanyor.errors import FileError
from pitmanyor.models import lda
from pitmanyor.plan import compile_plan
from pitmanyor.sampling.chain import Chain
from pitmanyor.state import new_state

SCRIPT = Path(__file__).resolve().parent.parent / "helpers" / "peak_memory.py"
PER_TOKEN = 20  # bytes that a fit in memory has for each (state/memory.py), its corpus left aside


def large_corpus(n_tokens: int, length: int = 250, n_words: int = 20_000, n_topics: int = 20) -> Corpus:
    rng, n_documents = np.random.default_rng(1), n_tokens // length
    topics = rng.integers(n_topics, size=(n_documents, 3))[:, rng.integers(3, size=length)].reshape(-1)
    words = (rng.integers(n_words // n_topics, size=n_tokens) + 97 * topics) % n_words
    stream = Stream(words.astype(np.int32), np.arange(n_documents + 1) * length)
    return Corpus(tuple(map(str, range(n_words))), MappingProxyType({"word": stream}))


def in_shards(corpus: Corpus, home: Path) -> tuple[int, str]:
    home.mkdir()
    corpus.save(home / "corpus.safetensors")
    command = [sys.executable, SCRIPT, home / "corpus.safetensors", home, "50000", "3"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    peak, digest = done.stdout.split()
    return int(peak), digest


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell")
def test_memory_is_bounded_and_bytes_are_those_of_the_whole_corpus(tmp_path):
    small, large = large_corpus(200_000), large_corpus(5_000_000)
    (low, digest), (high, _) = in_shards(small, tmp_path / "small"), in_shards(large, tmp_path / "large")
    tokens = (large.n_tokens - small.n_tokens) * PER_TOKEN
    assert high - low < tokens / 5, f"{(high - low) / 1e6:.0f} MB more for {tokens / 1e6:.0f} MB of tokens"
    chain = Chain(new_state(compile_plan(lda(20), small)), seed=1, passes=2)
    chain.initialise(20)
    for _ in range(3):
        chain.step()
    arrays = (chain.state.text.topic, chain.state.text.code, chain.state.net.counts, chain.state.net.rests)
    assert digest == hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def test_a_mapped_corpus_is_the_corpus(tmp_path):
    corpus = large_corpus(1_000)
    corpus.save(tmp_path / "corpus")
    mapped = Corpus.load(tmp_path / "corpus", mapped=True)
    assert mapped.content_hash == corpus.content_hash
    mapped.release()
    assert (mapped.streams["word"].words == corpus.streams["word"].words).all()
    content = (tmp_path / "corpus").read_bytes()
    (tmp_path / "corpus").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(FileError, match="checksum"):
        Corpus.load(tmp_path / "corpus", mapped=True)
