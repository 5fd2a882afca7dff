"""What a command says, how it says it (for people or as JSON), and the code it leaves with."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import typer

from pitmanyor.cli.spelling import spelled
from pitmanyor.errors import CorpusError, FileError, GraphError, PitmanyorError, PlanError, SaveWarning, StateError
from pitmanyor.escape import UNSEEN, visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

OK, UNEXPECTED, USAGE, DATA, FILES, BROKEN, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
CODES = {
    OK: "done",
    UNEXPECTED: "unexpected error (please report it)",
    USAGE: "wrong usage",
    DATA: "the data, the model or the options are not right",
    FILES: "a run or a file cannot be read or written",
    BROKEN: "numerical failure; the chain was stopped",
    INTERRUPTED: "stopped by Ctrl-C; the run is saved",
}
BY_ERROR: tuple[tuple[type[PitmanyorError], int], ...] = (
    (FileError, FILES),
    (StateError, BROKEN),
    (CorpusError, DATA),
    (GraphError, DATA),
    (PlanError, DATA),
)
P = ParamSpec("P")


@dataclass
class Answer:
    """Facts for `--json`, the same for people, and what to do next."""

    facts: dict[str, Any]
    shown: list[Any] = field(default_factory=list)  # text, or what rich draws
    next: list[str] = field(default_factory=list)
    code: int = OK


def answers(command: Callable[P, Answer]) -> Callable[P, None]:
    """Print a command's answer and leave with its code; errors we raise on purpose become a sentence and a code."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("json"))
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning, unsaved = _shower()
            try:
                answer = command(*args, **kwargs)
            except PitmanyorError as error:
                raise typer.Exit(_refuse(error, as_json)) from None
        if unsaved:
            answer.code = FILES
        _print(answer, as_json)
        raise typer.Exit(answer.code)

    return wrapped


def _shower() -> tuple[Callable[..., None], list[str]]:
    """How warnings are shown: a line each, on the error stream, once; and those about what could not be saved."""
    said: set[str] = set()
    unsaved: list[str] = []

    def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
        text = spelled(str(message))
        if issubclass(category, SaveWarning):
            unsaved.append(text)
        if text not in said:
            said.add(text)
            typer.echo(visible(f"warning: {text}"), err=True)

    return show, unsaved


def code_of(error: PitmanyorError) -> int:
    return next((code for kind, code in BY_ERROR if isinstance(error, kind)), UNEXPECTED)


def _refuse(error: PitmanyorError, as_json: bool) -> int:
    code = code_of(error)
    message = spelled(str(error))
    if as_json:
        said = {"error": type(error).__name__, "message": message, "exit_code": code}
        typer.echo(_json(said))
    typer.echo(visible(f"error: {message}"), err=True)
    return code


def _print(answer: Answer, as_json: bool) -> None:
    """Print an answer; a reader that has seen enough, such as `head`, may close the pipe."""
    try:
        _write(answer, as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # Python flushes once more when it ends


def _write(answer: Answer, as_json: bool) -> None:
    if as_json:
        facts = answer.facts | {"next": answer.next, "exit_code": answer.code}
        typer.echo(_json(facts, indent=2))
        return
    from rich.console import Console

    class Patient(Console):
        """Rich's own console would leave with code 1 when the pipe is closed."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = Patient(highlight=False, soft_wrap=True, file=sys.stdout)
    for part in answer.shown:
        if isinstance(part, str):
            console.print(visible(part), markup=False)
        else:
            console.print(_Visible(part))
    if answer.next:
        console.print("\nNext:", markup=False)
        for line in answer.next:
            console.print(visible(f"  {line}"), markup=False)


@dataclass(frozen=True)
class _Visible:
    """What rich draws, with the text of it made visible; its own colours stay."""

    part: Any

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.part, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def _json(facts: dict[str, Any], indent: int | None = None) -> str:
    """The same text to those who parse it, and nothing that a terminal obeys."""
    text = json.dumps(facts, ensure_ascii=False, indent=indent)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)
