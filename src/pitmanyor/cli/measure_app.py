"""The commands that measure: evaluate, compare and diagnose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import Answer, answers
from pitmanyor.cli.app import AsJson, Author, Label, Links, More, RunPath, Skip, Tags, Text, _columns, app


@app.command(short_help="Measure perplexity, coherence and clusters.")
@answers
def evaluate(
    run: RunPath,
    test: Annotated[Path | None, typer.Option(help="Posts that were not fitted, to be predicted.")] = None,
    observed: Annotated[float, typer.Option(help="Share of each post's words that is given, not scored.")] = 0.5,
    completion: Annotated[str, typer.Option(help="gibbs, or paper: its single pass.")] = "gibbs",
    sweeps: Annotated[
        int | None,
        typer.Option(help="Sweeps over the test posts; 20 by default, 10 where they are clustered and short.", min=1),
    ] = None,
    words: Annotated[int, typer.Option(help="Words of each topic that coherence looks at.", min=2)] = 10,
    window: Annotated[
        int | None, typer.Option(help="Window size for word co-occurrence (0: whole document).", min=0)
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="Posts in which coherence looks for company; by default those that were fitted.")
    ] = None,
    cap: Annotated[int | None, typer.Option(help="Assign documents to the N largest topics only.", min=1)] = None,
    measure: Annotated[
        list[str] | None, typer.Option(help="A measure that an installed package offers; may be repeated.")
    ] = None,
    left_to_right: Annotated[
        bool, typer.Option("--left-to-right", help="Also the perplexity of whole test posts; slow, use on few.")
    ] = False,
    seed: int = 0,
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    label: Label = None,
    links: Links = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """How good a run is: its topics, its network, and on posts it has not seen, perplexity and clusters by label.

    --links is the file of all links: those of pairs that fit --hold-links held out are predicted.
    """
    from pitmanyor.cli.measure import Asked, evaluate_run
    from pitmanyor.cli.work import Source

    columns = _columns(text, author, tags, None, label, None)
    given, seen = (
        None if file is None else Source.of([file], columns, None, skip_bad_lines, option) for file in (test, reference)
    )
    asked = Asked(given, links, seen, words, window, cap, left_to_right, measure or [])
    options = {"observed": observed, "completion": completion, "seed": seed}
    return evaluate_run(run, asked, options if sweeps is None else options | {"sweeps": sweeps})


@app.command(short_help="Compare runs: perplexity, coherence, verdict.")
@answers
def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Run directories, two or more.")],
    test: Annotated[list[Path] | None, typer.Option(help="Posts that no run was fitted to; may be repeated.")] = None,
    observed: Annotated[float, typer.Option(help="Share of each post's words that is given, not scored.")] = 0.5,
    words: Annotated[int, typer.Option(help="Words of each topic that coherence looks at.", min=2)] = 10,
    window: Annotated[
        int | None, typer.Option(help="Window size for word co-occurrence (0: whole document).", min=0)
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option(help="A measure that an installed package offers; may be repeated.")
    ] = None,
    seed: int = 0,
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Put runs side by side: perplexity of test posts, coherence and diversity of topics, their number, and trust.

    The perplexity is that of the words alone, so that models with and without hashtags can be compared.
    """
    from pitmanyor.cli.compare import compare_runs
    from pitmanyor.cli.measure import Asked
    from pitmanyor.cli.work import Source

    columns = _columns(text, author, tags, None, None, None)
    given = Source.of(test, columns, None, skip_bad_lines, option) if test else None
    asked = Asked(given, None, None, words, window, None, False, measure or [])
    return compare_runs(runs, asked, {"observed": observed, "seed": seed})


@app.command(short_help="Check whether the chains of a run converged.")
@answers
def diagnose(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Runs of one model, or one with its chains.")],
    discard: Annotated[float, typer.Option(help="Share of the sweeps to leave out at the beginning.")] = 0.5,
    json: AsJson = False,
) -> Answer:
    """Whether to trust a run, in plain words: do its chains agree, and are there sweeps enough?"""
    from pitmanyor.cli.measure import diagnose_runs

    return diagnose_runs(runs, discard)
