"""The commands and their options. The modules that do the work are imported when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import CODES, Answer, answers
from pitmanyor.cli.usage import Commands
from pitmanyor.version import __version__

EPILOG = "Exit codes: " + "; ".join(f"{code} {what}" for code, what in CODES.items()) + "."

app = typer.Typer(
    cls=Commands,
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object to the standard output.")]
Text = Annotated[str | None, typer.Option(help="Column with the text (guessed if not given).")]
Author = Annotated[str | None, typer.Option(help="Column with the author.")]
Tags = Annotated[str | None, typer.Option(help="Column with the hashtags.")]
Time = Annotated[str | None, typer.Option(help="Column with the time.")]
Label = Annotated[str | None, typer.Option(help="Column with a label, such as the event.")]
Links = Annotated[Path | None, typer.Option(help="File with links between authors (CSV, Parquet, GraphML, GEXF).")]
Group = Annotated[list[str] | None, typer.Option(help="Another column to group documents by; repeatable.")]
Skip = Annotated[
    bool, typer.Option("--skip-bad-lines", help="Skip and report bad lines instead of stopping at the first.")
]
More = Annotated[
    list[str] | None,
    typer.Option("--option", "-O", help="Any other option of pitmanyor.read, as NAME=VALUE; repeatable."),
]
Posts = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE", help="CSV, TSV, JSON Lines, Parquet or text, also .gz; several files make one corpus."
    ),
]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="Run directory.")]
Memory = Annotated[
    str | None, typer.Option(help="Bound on memory, such as 4GB: tokens stay in files, and no links are fitted.")
]
Workers = Annotated[int | None, typer.Option(help="Number of Dask workers to start on this machine (no links).", min=1)]
Scheduler = Annotated[
    str | None, typer.Option(help="Sweep on the workers of a Dask scheduler, such as tcp://host:8786.")
]
Threads = Annotated[int | None, typer.Option(help="Number of threads; all cores by default.")]
Seed = Annotated[int, typer.Option(help="Random seed; results are bit-for-bit reproducible.")]
Every = Annotated[str, typer.Option("--save-every", help="How often to save: 30s, 5m, 1h.")]


def _columns(
    text: str | None, author: str | None, tags: str | None, time: str | None, label: str | None, links: Path | None
) -> dict[str, str]:
    given = {"text": text, "author": author, "tags": tags, "time": time, "label": label}
    given["links"] = None if links is None else str(links)
    return {name: value for name, value in given.items() if value is not None}


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"pitmanyor {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Topic models as networks of Pitman-Yor processes: from a file of posts to a saved, resumable run."""


@app.command(short_help="Simulate a microblog, fit it and write its report.")
@answers
def demo(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Directory to create.")],
    posts: Annotated[int, typer.Option(help="Number of posts to simulate.")] = 2000,
    sweeps: Annotated[int, typer.Option(help="Number of Gibbs sweeps.")] = 3_000,
    seed: Seed = 1,
    json: AsJson = False,
) -> Answer:
    """Simulate a small microblog, fit a model to it, show its topics with their hashtags, and write their report."""
    from pitmanyor.cli.work import run_demo

    return run_demo(out, posts, sweeps, seed, quiet=json)


@app.command(short_help="Show what would be read from files of posts.")
@answers
def check(
    files: Posts,
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    time: Time = None,
    label: Label = None,
    links: Links = None,
    group: Group = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Show what would be read: columns, sizes, and what is removed and why."""
    from pitmanyor.cli.work import Source, check_source

    columns = _columns(text, author, tags, time, label, links)
    return check_source(Source.of(files, columns, group, skip_bad_lines, option))


@app.command(short_help="Fit a model to files of posts and save the run.")
@answers
def fit(
    files: Posts,
    out: Annotated[Path, typer.Option("--out", "-o", help="Run directory to create.")],
    model: Annotated[
        str, typer.Option(help="hpyp, author_topic, tntm, hdp_lda, lda:20, bursty:hpyp, or my_model.py:graph.")
    ] = "hpyp",
    sweeps: Annotated[int, typer.Option(help="Number of Gibbs sweeps.", min=0)] = 500,
    seed: Seed = 0,
    chains: Annotated[int, typer.Option(help="Number of chains to run in parallel processes.", min=1)] = 1,
    keep: Annotated[int, typer.Option(help="Number of states that each chain keeps after the burn-in.", min=0)] = 20,
    burn_in: Annotated[int | None, typer.Option(help="Sweeps to discard first; half of them by default.")] = None,
    max_topics: Annotated[int | None, typer.Option(help="Upper bound on the number of topics.")] = None,
    start_topics: Annotated[
        int | None, typer.Option(help="Number of random initial topics; 0 initialises sequentially.")
    ] = None,
    sampler: Annotated[str, typer.Option(help="mixed, collapsed or explicit.")] = "mixed",
    moves: Annotated[bool, typer.Option(help="Split and merge whole topics.")] = True,
    text_sweeps: Annotated[int | None, typer.Option(help="Sweeps before links join; half of all by default.")] = None,
    spare_topics: Annotated[int, typer.Option(help="Number of empty topics when links join.")] = 5,
    n_topics: Annotated[int | None, typer.Option(help="Number of topics of a model of links alone.")] = None,
    method: Annotated[
        str, typer.Option(help="How links are sampled: exact, or paper (not posterior-correct).")
    ] = "exact",
    hold_links: Annotated[
        float | None, typer.Option(help="Share of the pairs of authors to hold out, for evaluate --links.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="paper: the sampler of the published experiments.")] = None,
    memory: Memory = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    threads: Threads = None,
    save_every: Every = "5m",
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    time: Time = None,
    label: Label = None,
    links: Links = None,
    group: Group = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Read files, fit a model, and save the run regularly, at the end, at Ctrl-C and at SIGTERM."""
    from pitmanyor.cli.parsing import parse_seconds
    from pitmanyor.cli.work import Source, fit_source

    source = Source.of(files, _columns(text, author, tags, time, label, links), group, skip_bad_lines, option)
    how = {
        "sampler": {"kind": sampler, "moves": moves},
        "start": {"topics": start_topics},
        "network": {
            "text_sweeps": text_sweeps,
            "spare_topics": spare_topics,
            "n_topics": n_topics,
            "method": method,
        },
    }
    options: dict[str, object] = {"sweeps": sweeps, "seed": seed, "chains": chains, "keep": keep, "burn_in": burn_in}
    options |= {"max_topics": max_topics, "threads": threads, "save_every": parse_seconds(save_every), "preset": preset}
    options |= {"memory": memory, "client": scheduler, "workers": workers}
    return fit_source(source, model, out, options | how, quiet=json, hold=hold_links)


@app.command(short_help="Continue a run from its last checkpoint.")
@answers
def resume(
    run: RunPath,
    sweeps: Annotated[
        int | None, typer.Option(help="Total number of sweeps; by default as many as were asked for.")
    ] = None,
    memory: Memory = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    threads: Threads = None,
    save_every: Every = "5m",
    json: AsJson = False,
) -> Answer:
    """Continue a run from its last checkpoint, bit for bit as if it had never stopped."""
    from pitmanyor.cli.parsing import parse_seconds
    from pitmanyor.cli.work import resume_run

    options: dict[str, object] = {
        "sweeps": sweeps,
        "threads": threads,
        "save_every": parse_seconds(save_every),
        "memory": memory,
        "client": scheduler,
        "workers": workers,
    }
    return resume_run(run, options, quiet=json)


@app.command(short_help="List the topics of a run with their words.")
@answers
def topics(
    run: RunPath,
    words: Annotated[int, typer.Option(help="Number of words per topic.", min=1)] = 10,
    json: AsJson = False,
) -> Answer:
    """List the topics of a run: shares, most likely words, and hashtags if it has any."""
    from pitmanyor.cli.show import show_topics

    return show_topics(run, words)


@app.command(short_help="Write the topic proportions of new documents.")
@answers
def infer(
    run: RunPath,
    files: Posts,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file to write, one line per document.")],
    sweeps: Annotated[
        int | None,
        typer.Option(help="Sweeps over the new documents; by default 32, or 96 for models like tntm.", min=1),
    ] = None,
    seed: Seed = 0,
    completion: Annotated[str, typer.Option(help="gibbs, or paper for the paper's single pass.")] = "gibbs",
    text: Text = None,
    author: Author = None,
    tags: Tags = None,
    skip_bad_lines: Skip = False,
    option: More = None,
    json: AsJson = False,
) -> Answer:
    """Write topic proportions of new documents, with everything that the run learned held fixed."""
    from pitmanyor.cli.work import Source, infer_file

    source = Source.of(files, _columns(text, author, tags, None, None, None), None, skip_bad_lines, option)
    return infer_file(run, source, out, {"sweeps": sweeps, "seed": seed, "completion": completion})


@app.command(short_help="Show the settings and progress of a run.")
@answers
def info(run: RunPath, json: AsJson = False) -> Answer:
    """Show the settings and the progress of a run. Reads small files only."""
    from pitmanyor.cli.show import show_run

    return show_run(run)


@app.command(short_help="Show versions, threads, caches and memory.")
@answers
def doctor(
    compile_: Annotated[
        bool,
        typer.Option("--compile", help="Compile the ready models first, so that their fits start at once."),
    ] = False,
    json: AsJson = False,
) -> Answer:
    """Show versions, threads, caches and memory of this machine."""
    from pitmanyor.cli.show import examine

    if not compile_:
        return examine()
    from pitmanyor.cli.compiling import compile_models

    if not json:
        typer.echo("Compiling the ready models on two cores; it takes a minute or two, and happens once.")
    seconds = compile_models()
    answer = examine()
    answer.facts["seconds to compile"] = round(seconds, 1)
    answer.shown.insert(0, f"The ready models are compiled, which took {seconds:.0f} s.")
    return answer


from pitmanyor.cli import experiment_app as experiment_app  # noqa: E402  its command joins `app`
from pitmanyor.cli import measure_app as measure_app  # noqa: E402  its commands join `app`
from pitmanyor.cli import report_app as report_app  # noqa: E402  its commands join `app`
from pitmanyor.cli import use_app as use_app  # noqa: E402  its commands join `app`
