"""The command line. Nothing heavy is imported before a command needs it, so that `--help` is quick."""

from __future__ import annotations


def main() -> None:
    """The entry point `pitmanyor`."""
    from pitmanyor.cli.app import app

    app(prog_name="pitmanyor")
