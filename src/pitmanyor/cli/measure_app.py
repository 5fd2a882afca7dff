"""The commands that measure: evaluate, compare and diagnose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import Answer, answers
from pitmanyor.cli.app import AsJson, Author, Label, Links, More, RunPath, Seed, Skip, Tags, Text, _columns, app


@app.command(short_help="Measure perplexity, coherence and clusters.")
@answers
def evaluate(
    run: RunPath,
    test: Annotated[Path | None, typer.Option(help="Posts that were not fitted, to score.")] = None,
    observed: Annotated[float, typer.Option(help="Share of each post's words that is observed and not scored.")] = 0.5,
    completion: Annotated[str, typer.Option(help="gibbs, or paper for the paper's single pass.")] = "gibbs",
    sweeps: Annotated[
        int | None,
        typer.Option(help="Sweeps over the test posts; by default 20 for perplexity, as infer for clusters.", min=1),
    ] = None,
    words: Annotated[int, typer.Option(help="Number of words per topic for coherence.", min=2)] = 10,
    window: Annotated[
        int | None, typer.Option(help="Window size for word co-occurrence (0: whole document).", min=0)
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="Posts in which co-occurrence is counted; the fitted ones by default.")
    ] = None,
    n_topics: Annotated[int | None, typer.Option(help="Assign documents to the N largest topics only.", min=1)] = None,
    measure: Annotated[list[str] | None, typer.Option(help="A measure of an installed plug-in; repeatable.")] = None,
    left_to_right: Annotated[
        bool, typer.Option("--left-to-right", help="Also the perplexity of whole test posts; slow, use on few.")
    ] = False,
    seed: Seed = 0,
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    label: Label = None,
    links: Links = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Measure a run: coherence of topics, links, and on new posts perplexity and clusters by label.

    --links is the file of all links; pairs that were held out by fit --hold-links are scored.
    """
    from pitmanyor.cli.measure import Asked, evaluate_run
    from pitmanyor.cli.work import Source

    columns = _columns(text, author, tags, None, label, None)
    given, seen = (
        None if file is None else Source.of([file], columns, None, skip_bad_lines, option) for file in (test, reference)
    )
    asked = Asked(given, links, seen, words, window, n_topics, left_to_right, measure or [])
    options = {"observed": observed, "completion": completion, "seed": seed}
    return evaluate_run(run, asked, options if sweeps is None else options | {"sweeps": sweeps})


@app.command(short_help="Compare runs: perplexity, coherence, verdict.")
@answers
def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Run directories, two or more.")],
    test: Annotated[list[Path] | None, typer.Option(help="Posts that no run was fitted to; repeatable.")] = None,
    observed: Annotated[float, typer.Option(help="Share of each post's words that is observed and not scored.")] = 0.5,
    words: Annotated[int, typer.Option(help="Number of words per topic for coherence.", min=2)] = 10,
    window: Annotated[
        int | None, typer.Option(help="Window size for word co-occurrence (0: whole document).", min=0)
    ] = None,
    measure: Annotated[list[str] | None, typer.Option(help="A measure of an installed plug-in; repeatable.")] = None,
    seed: Seed = 0,
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Compare runs: perplexity of test posts, coherence, diversity and number of topics, and the verdict.

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
    discard: Annotated[
        float | None, typer.Option(help="Share of the sweeps to discard first; by default the burn-in.")
    ] = None,
    json: AsJson = False,
) -> Answer:
    """Say whether the chains of a run have converged, and what to do if not."""
    from pitmanyor.cli.measure import diagnose_runs

    return diagnose_runs(runs, discard)
