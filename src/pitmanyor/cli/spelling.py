"""Settings that errors and warnings name, as they are typed on the command line.

Messages of the library spell a setting as Python does: `duplicates='drop'`. The command line spells it the way it is
given there: as an option of the command that runs if it has one of that name (`--skip-bad-lines`), otherwise as an
option of reading (`-O duplicates=drop`) or as one of `fit` (`--chains 4`).
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import sys
from collections.abc import Iterable
from typing import Any

VALUE = r"""'[^']*'|"[^"]*"|\[[^\[\]]*\]|True\b|False\b|None\b|-?\d[\d_]*(?:\.\d+)?|\.\.\."""
SETTING = re.compile(rf"""(?<![\w'"/.=?&-])(?<!-O )([a-z][a-z_]*)=({VALUE})?(?![\w=])""")
GROUPED = re.compile(rf"(?:(?:sampler|start|network)=)?(?:Sampler|Start|Network)\(([a-z_]+)=({VALUE})\)")
MODEL = re.compile(r"\b(?:pitmanyor\.)?models\.([a-z_]+)\((\d*)\)")
OTHER_NAMES = {  # of options that are not called as in Python
    "groups": "group", "kind": "sampler", "client": "scheduler", "save_to": "out", "topics": "start_topics",
}  # fmt: skip
OF_COLUMNS = (
    "author",
    "groups",
    "id",
    "label",
    "streams",
    "tags",
    "text",
    "time",
)  # parameters of read, beside Options
ONLY_IN_GROUPS = ("kind", "topics")


def spelled(message: str) -> str:
    """A message with its settings as they are typed on the command line.

    >>> spelled("duplicates; remove them with duplicates='drop', or name the author with author=")
    'duplicates; remove them with -O duplicates=drop, or name the author with --author'
    >>> spelled("read all posts without authors with author=False, or with stop_words=None")
    'read all posts without authors with -O author=false, or with -O stop_words=none'
    >>> spelled("pass sampler=Sampler(moves=False), chains=4, or fit models.lda(20)")
    'pass --no-moves, --chains 4, or fit --model lda:20'
    """
    message = MODEL.sub(lambda found: f"--model {found[1]}{':' * bool(found[2])}{found[2]}", message)
    message = GROUPED.sub(lambda found: _option(found[1], found[2], grouped=True) or found[0], message)
    given = [argument for argument in sys.argv[1:] if "=" in argument and argument in message]  # such as names of files
    parts = re.split(f"({'|'.join(map(re.escape, given))})", message) if given else [message]
    return "".join(
        part if part in given else SETTING.sub(lambda found: _option(found[1], found[2] or "") or found[0], part)
        for part in parts
    )


def _option(name: str, value: str, grouped: bool = False) -> str | None:
    """A setting as an option; None if the command line does not have it."""
    from pitmanyor.reading.options import Options

    own = OTHER_NAMES.get(name, name) if grouped or name not in ONLY_IN_GROUPS else name
    option = next((found for found in map(_options_of, ("", "fit", "infer")) if own in found), {}).get(own)
    of_reading = name in Options.__annotations__ or name in OF_COLUMNS
    if option is not None and not (of_reading and value in ("False", "None")):
        return _given(option, value)
    return f"-O {name}={_said(value)}" if of_reading else None


def _options_of(command: str) -> dict[str, Any]:
    """The options of a command, or of the one that runs, by the name of their parameter."""
    import click
    import typer

    from pitmanyor.cli.app import app

    context = click.get_current_context(silent=True)
    if not command:
        return _by_name(context.command.params) if context else {}
    return _by_name(typer.main.get_command(app).commands[command].params)  # type: ignore[attr-defined]


def _by_name(parameters: Iterable[Any]) -> dict[str, Any]:
    return {one.name: one for one in parameters if one.param_type_name == "option"}


def _given(option: Any, value: str) -> str:
    """An option with its value; a switch has none."""
    if option.is_flag and value in ("True", "False", ""):
        return str((option.secondary_opts if value == "False" and option.secondary_opts else option.opts)[0])
    if value in ("", "..."):
        return str(option.opts[0])
    plain = ast.literal_eval(value)
    each = plain if option.multiple and isinstance(plain, list) else [plain]
    return " ".join(f"{option.opts[0]} {_said(repr(one))}" for one in each)


def _said(value: str) -> str:
    """A Python value as what follows `-O NAME=`, or an option."""
    if value in ("", "..."):
        return "..."
    plain = ast.literal_eval(value)
    if isinstance(plain, str):
        return shlex.quote(plain)
    return shlex.quote("none" if plain is None else json.dumps(plain))
