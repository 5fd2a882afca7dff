"""The commands that put a run to use: label, recommend, export. What they do is in `use`, imported when one runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import Answer, answers
from pitmanyor.cli.app import AsJson, RunPath, Seed, app


@app.command(short_help="Name, rename and merge topics.")
@answers
def label(
    run: RunPath,
    rename: Annotated[list[str] | None, typer.Option(help="TOPIC=NAME, such as 3=health; repeatable.")] = None,
    merge: Annotated[
        list[str] | None, typer.Option(help="Topics to show as one, such as 3,7 or 3,7=health; repeatable.")
    ] = None,
    reset: Annotated[list[int] | None, typer.Option(help="Remove name and merge of a topic; repeatable.")] = None,
    reset_all: Annotated[bool, typer.Option("--reset-all", help="Remove all names and merges.")] = False,
    by: Annotated[str, typer.Option(help="Tags by lift (distinctive) or by probability.")] = "lift",
    tags: Annotated[int, typer.Option(help="Number of tags in a name.", min=1)] = 3,
    json: AsJson = False,
) -> Answer:
    """Show the names of topics; rename and merge topics for every output of the run."""
    from pitmanyor.cli.use import Naming, label_run

    return label_run(run, Naming(rename or [], merge or [], reset or [], reset_all), by, tags)


@app.command(short_help="Recommend hashtags, or authors to follow.")
@answers
def recommend(
    run: RunPath,
    text: Annotated[str | None, typer.Option(help="A draft post, to recommend hashtags for.")] = None,
    author: Annotated[
        str | None, typer.Option(help="Author of the draft; without --text, recommends whom they could follow.")
    ] = None,
    posts: Annotated[
        Path | None, typer.Option(help="Posts of somebody new, one per line, to recommend whom to follow.")
    ] = None,
    n: Annotated[int, typer.Option("-n", help="Number of recommendations.", min=1)] = 5,
    by: Annotated[
        str, typer.Option(help="Rank hashtags by the model, by similar fitted posts (posts), or both.")
    ] = "both",
    links: Annotated[str | None, typer.Option(help="Link set, if the model has several.")] = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> Answer:
    """Recommend hashtags for a draft post (--text), or authors to follow (--author, or --posts of somebody new)."""
    from pitmanyor.cli.use import Wish, recommend_from

    return recommend_from(run, Wish(text, author, posts, n, by, links, seed))


@app.command(short_help="Write a run as tables, graphs and figures.")
@answers
def export(
    run: RunPath,
    out: Annotated[Path, typer.Option("--out", "-o", help="Directory for the files.")],
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="csv (the default), parquet, gexf, graphml, pyldavis, mallet, arviz, figures or all; repeatable.",
        ),
    ] = None,
    words: Annotated[int, typer.Option(help="Number of words per topic in the table of words.", min=1)] = 100,
    json: AsJson = False,
) -> Answer:
    """Write a run for other tools: every table, graphs of authors with topics, draws, a MALLET state, figures."""
    from pitmanyor.cli.use import export_run

    return export_run(run, out, as_ or ["csv"], words)
