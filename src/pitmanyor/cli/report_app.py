"""The commands that show a run as a page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from pitmanyor.cli.answers import Answer, answers
from pitmanyor.cli.app import AsJson, RunPath, app
from pitmanyor.cli.show import count_facts
from pitmanyor.errors import PlanError
from pitmanyor.escape import visible

Texts = Annotated[Path | None, typer.Option("--posts", help="File with the posts, if it has moved.")]
Redact = Annotated[bool, typer.Option("--redact", help="Hash authors and leave texts out.")]
Open = Annotated[bool, typer.Option("--open", help="Open the page in a browser.")]


@app.command(short_help="Write a run as one HTML page.")
@answers
def report(
    run: RunPath,
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML file to write.")] = Path("report.html"),
    posts: Texts = None,
    redact: Redact = False,
    open_: Open = False,
    json: AsJson = False,
) -> Answer:
    """Write a run as one HTML page that works offline: topics, posts, authors, followers, times, diagnostics."""
    from pitmanyor.report import build_page, build_payload
    from pitmanyor.report.write import write_page
    from pitmanyor.results.fitting import load

    fit = load(run)
    if posts is None and not redact and fit.corpus.report and fit.corpus.report.files:
        named = ", ".join(map(visible, fit.corpus.report.files))
        print(f"Texts are looked for where the run says: {named} (--posts FILE names another file)", file=sys.stderr)
    payload = build_payload(fit, posts=posts, redact=redact)
    page = build_page(payload)
    write_page(page, out)
    if open_:
        typer.launch(out.resolve().as_uri())
    texts = payload["posts"]["said"] if "posts" in payload else "Authors are hashed, and texts are left out."
    facts = {"out": str(out), "bytes": len(page.encode()), "redacted": redact} | count_facts(fit)
    facts |= {"panels": sorted(payload), "texts": texts, "trust": payload["trust"]["sentence"]}
    shown = [f"{fit.topic_count()}.", f"{len(page.encode()) / 1e6:.2f} MB: {out.resolve()}"]
    shown += [texts, payload["trust"]["sentence"]]
    name = shlex.quote(str(run))
    next_ = [] if redact else [f"pitmanyor report {name} --redact -o public.html    # to be passed on"]
    return Answer(facts, shown, [*next_, f"pitmanyor serve {name}    # with live inference for drafts"])


@app.command(short_help="Serve the page of a run, with live inference.")
@answers
def serve(
    run: RunPath,
    host: Annotated[str, typer.Option(help="Address to listen on; by default this machine only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8642,
    posts: Texts = None,
    redact: Redact = False,
    open_: Open = False,
    json: AsJson = False,
) -> Answer:
    """Serve the report of a run on this machine, with live inference for drafts. Ctrl-C stops it."""
    try:
        from pitmanyor.report.server import serve_run
    except ModuleNotFoundError as error:
        raise PlanError(f"serve needs {error.name}, which is not installed: pip install 'pitmanyor[serve]'") from None
    address = serve_run(run, (host, port), posts=posts, redact=redact, open_page=open_)
    return Answer({"run": str(run), "address": address}, ["Server stopped."])
