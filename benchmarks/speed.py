"""The race behind `make bench`: tokens per CPU second and held-out perplexity, as markdown tables.

`python -m benchmarks.speed` runs it all; `--quick` takes a small simulated corpus and a few seconds;
`--output FILE` also writes the tables to a file; `--corpora`, `--topics` and `--contestants` choose a part.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

# One core for everybody. Read when numpy and numba are first imported, hence before them.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from benchmarks.corpora import CORPORA, zipf  # noqa: E402
from benchmarks.heldout import split  # noqa: E402
from benchmarks.ours import OURS  # noqa: E402
from benchmarks.peers import PEERS, Contestant, Race, Result  # noqa: E402
from pitmanyor.corpus import Corpus  # noqa: E402

TOPICS = (50, 100, 400, 1_000)
BASELINE = "tomotopy LDA"
BURN_IN = 100  # sweeps at least: many topics take longer to settle, and only then are documents' topics few

CONTESTANTS: dict[str, Contestant] = {**PEERS, **OURS}


@dataclass(frozen=True)
class Choice:
    """What to run."""

    corpora: Sequence[str]
    topics: Sequence[int]
    contestants: Sequence[str]
    quick: bool


def race_on(name: str, make: Callable[[int], Corpus | None], choice: Choice) -> Iterable[str]:
    """All chosen contestants on one corpus at every number of topics, as lines of markdown."""
    yield from (f"## {name}", "")
    for n_topics in choice.topics:
        corpus = make(n_topics)
        if corpus is None:
            yield from ("Not at hand on this machine.", "")
            return
        burn_in = max(BURN_IN, n_topics // 5)
        race = Race(split(corpus), n_topics, burn_in=burn_in, look=burn_in // 4)
        if choice.quick:
            race = replace(race, burn_in=20, sweeps=8, look=10)
        results = [CONTESTANTS[c](race) for c in choice.contestants if _can_run(c, corpus)]
        yield from _table(n_topics, results)
        yield from _curves(results)


def _can_run(contestant: str, corpus: Corpus) -> bool:
    if "tntm" in contestant:
        return "hashtag" in corpus.streams
    return "author" not in contestant or "author" in corpus.groups


def _table(n_topics: int, results: Sequence[Result]) -> Iterable[str]:
    baseline = next((r.tokens_per_second for r in results if r.name == BASELINE), None)
    yield from ("", f"### Near {n_topics:,} topics", "")
    yield f"| contestant | topics | M tokens / CPU s | against {BASELINE} | held-out perplexity |"
    yield "|---|---:|---:|---:|---:|"
    for r in results:
        times = "" if baseline is None else f"{r.tokens_per_second / baseline:.2f}"
        yield f"| {r.name} | {r.n_topics:,} | {r.tokens_per_second / 1e6:.2f} | {times} | {r.perplexity:,.1f} |"


def _curves(results: Sequence[Result]) -> Iterable[str]:
    yield from ("", "Perplexity after so many CPU seconds of sampling:", "")
    for r in results:
        yield f"- {r.name}: " + ", ".join(f"{p:,.0f} at {s:.1f} s" for s, p in r.curve)


def machine() -> str:
    """The line that says where and when the figures were taken."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = (line for line in cpuinfo.read_text().splitlines() if line.startswith("model name"))
        model = next(lines, f":{model}").split(":", 1)[1].strip()
    return f"{date.today().isoformat()}, {model}, Python {platform.python_version()}, one core, CPU time."


def report(choice: Choice) -> Iterable[str]:
    """The whole page, line by line, as the figures come in."""
    yield from ("# Benchmarks", "", machine(), "")
    if choice.quick:
        small = lambda n_topics: zipf(n_tokens=100_000, n_topics=n_topics, vocabulary=2_000)  # noqa: E731
        yield from race_on("zipf, small", small, choice)
        return
    for name in choice.corpora:
        yield from race_on(name, CORPORA[name], choice)
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and perplexity, one core, CPU time")
    parser.add_argument("--quick", action="store_true", help="a small simulated corpus only")
    parser.add_argument("--topics", type=int, nargs="+", default=None, help=f"default: {TOPICS}")
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--contestants", nargs="+", choices=list(CONTESTANTS), default=list(CONTESTANTS))
    parser.add_argument("--output", type=Path, help="also write the tables here")
    args = parser.parse_args()
    topics = args.topics or ((20,) if args.quick else TOPICS)
    lines = []
    for line in report(Choice(args.corpora, topics, args.contestants, args.quick)):
        print(line, flush=True)
        lines.append(line)
    if args.output is not None:
        args.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
