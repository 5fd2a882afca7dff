"""The commands that put a run to use: label, recommend, export. What they do is in `use`, imported when one runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import Answer, answers
from pitmanyor.cli.app import AsJson, RunPath, app


@app.command(short_help="Name, rename and merge topics.")
@answers
def label(
    run: RunPath,
    rename: Annotated[list[str] | None, typer.Option(help="TOPIC=NAME, such as 3=health; may be repeated.")] = None,
    merge: Annotated[
        list[str] | None, typer.Option(help="Topics to show as one, such as 3,7 or 3,7=health; may be repeated.")
    ] = None,
    reset: Annotated[list[int] | None, typer.Option(help="Forget name and merge of a topic; may be repeated.")] = None,
    reset_all: Annotated[bool, typer.Option("--reset-all", help="Forget all names and merges.")] = False,
    by: Annotated[str, typer.Option(help="Tags by lift (what sets a topic apart) or by probability.")] = "lift",
    tags: Annotated[int, typer.Option(help="Tags in a name.", min=1)] = 3,
    json: AsJson = False,
) -> Answer:
    """Name the topics by their hashtags, or words; rename and merge them for every output of the run."""
    from pitmanyor.cli.use import Naming, label_run

    return label_run(run, Naming(rename or [], merge or [], reset or [], reset_all), by, tags)


@app.command(short_help="Recommend hashtags, or authors to follow.")
@answers
def recommend(
    run: RunPath,
    text: Annotated[str | None, typer.Option(help="A draft post: recommends hashtags for it.")] = None,
    author: Annotated[
        str | None, typer.Option(help="The author of the draft; without one, recommends whom to follow.")
    ] = None,
    posts: Annotated[
        Path | None, typer.Option(help="Posts of somebody new, a line each: recommends whom to follow.")
    ] = None,
    n: Annotated[int, typer.Option("-n", help="How many.", min=1)] = 5,
    by: Annotated[
        str, typer.Option(help="Hashtags by the model, by fitted posts that are like the draft (posts), or both.")
    ] = "both",
    links: Annotated[str | None, typer.Option(help="The set of links, if the model has several.")] = None,
    seed: int = 0,
    json: AsJson = False,
) -> Answer:
    """Recommend hashtags for a draft post (--text), or authors to follow (--author, or --posts of somebody new)."""
    from pitmanyor.cli.use import Wish, recommend_from

    return recommend_from(run, Wish(text, author, posts, n, by, links, seed))


@app.command(short_help="Write a run as tables, graphs and figures.")
@answers
def export(
    run: RunPath,
    out: Annotated[Path, typer.Option("--out", "-o", help="A directory for the files.")],
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="csv (the default), parquet, gexf, graphml, pyldavis, mallet, arviz, figures or all; may be repeated.",
        ),
    ] = None,
    words: Annotated[int, typer.Option(help="Words of each topic in the table of words.", min=1)] = 100,
    json: AsJson = False,
) -> Answer:
    """Write a run for other tools: every table, graphs of authors with topics, draws, a MALLET state, figures."""
    from pitmanyor.cli.use import export_run

    return export_run(run, out, as_ or ["csv"], words)
