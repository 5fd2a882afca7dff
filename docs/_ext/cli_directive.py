"""The directive `command-line`: a section for every command, made from the help texts of the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import typer.main
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pitmanyor.cli.answers import CODES
from pitmanyor.cli.app import app as commands


def sections() -> Iterator[str]:
    """Exit codes, then every command in the order of `pitmanyor --help`, in Markdown."""
    yield "\n".join(
        ["| exit code | meaning |", "|---|---|", *(f"| {code} | {what} |" for code, what in CODES.items()), ""]
    )
    group = typer.main.get_command(commands)
    context = click.Context(group, info_name="pitmanyor")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield section(command, click.Context(command, info_name=name, parent=context))


def section(command: click.Command, context: click.Context) -> str:
    usage = " ".join(["pitmanyor", context.info_name, *command.collect_usage_pieces(context)])
    lines = [f"## {context.info_name}", "", "```text", usage, "```", "", command.help or "", ""]
    for parameter in command.get_params(context):
        shown = parameter.get_help_record(context)
        if shown is None:
            continue
        term, text = shown
        lines += [f"`{term}`", f": {text or ' '}", ""]
    return "\n".join(lines)


class CommandLineDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(sections()), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("command-line", CommandLineDirective)
    return {"parallel_read_safe": True}
