"""`pitmanyor experiment`: the paper's tables on any corpus."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import INTERRUPTED, OK, Answer, answers
from pitmanyor.cli.app import (
    AsJson,
    Author,
    Label,
    Links,
    More,
    Posts,
    Skip,
    Tags,
    Text,
    Time,
    _columns,
    app,
)


class Kind(StrEnum):
    """The tables there are; `pitmanyor.experiments` is not imported for them, so that `--help` stays quick."""

    fit = "fit"
    ablation = "ablation"
    clustering = "clustering"
    labels = "labels"
    sensitivity = "sensitivity"


@app.command(short_help="Make a table of the paper on your corpus.")
@answers
def experiment(
    kind: Annotated[Kind, typer.Argument(metavar="TABLE", help="Which of the paper's tables to make.")],
    corpus: Posts,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Directory to create; the same command continues one that exists.")
    ],
    repeats: Annotated[int, typer.Option(help="Number of fits per row, each with its own seed.", min=1)] = 5,
    sweeps: Annotated[int, typer.Option(help="Number of Gibbs sweeps; 2000 in the paper.")] = 500,
    seed: Annotated[int, typer.Option(help="Seed of the split; repeat r samples with seed + r.")] = 1,
    test: Annotated[float, typer.Option(help="Share of every author's posts to hold out.")] = 0.1,
    held_links: Annotated[float, typer.Option(help="Share of the pairs of authors to hold out.")] = 0.1,
    keep: Annotated[int, typer.Option(help="States to keep, over which held-out text is averaged.")] = 5,
    max_topics: Annotated[int | None, typer.Option(help="Upper bound on the number of topics.")] = None,
    start_topics: Annotated[int, typer.Option(help="Number of random initial topics of every model.", min=1)] = 100,
    drop: Annotated[list[str] | None, typer.Option(help="Word to leave out, such as a query term; repeatable.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of parallel processes; one per core by default.", min=1)
    ] = None,
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    time: Time = None,
    label: Label = None,
    links: Links = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Make a table of the paper on your corpus, with means, standard deviations, significance and a figure."""
    from pitmanyor.cli.work import Source
    from pitmanyor.experiments.data import without_words
    from pitmanyor.experiments.run import run_experiment
    from pitmanyor.experiments.settings import Settings

    settings = Settings(
        kind.value,
        sweeps=sweeps,
        seed=seed,
        test=test,
        held_links=held_links,
        keep=keep,
        max_topics=max_topics,
        start_topics=start_topics,
    )
    posts = Source.of(corpus, _columns(text, author, tags, time, label, links), None, skip_bad_lines, option).read()
    posts = without_words(posts, drop) if drop else posts
    done = run_experiment(
        posts, out, settings, repeats=repeats, workers=workers, tell=lambda said: print(said, file=sys.stderr)
    )
    facts = {"experiment": done.title, "files": [str(file) for file in done.files], "notes": done.notes}
    again = [f"the same command again    # goes on with {shlex.quote(str(out))}"] if done.interrupted else []
    return Answer(facts, [done.markdown, *done.notes], again, INTERRUPTED if done.interrupted else OK)
