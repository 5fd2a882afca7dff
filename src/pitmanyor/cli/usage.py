"""Options that a command does not have: those of reading are given as -O NAME=VALUE, which the error says."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class Commands(TyperGroup):
    """All commands. `fit POSTS --min-df 5` is answered with what to write instead."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            _teach(error)
            raise


def _teach(error: Any) -> None:
    """Put a hint into an error about an unknown option if `read` has it."""
    option = getattr(error, "option_name", None)
    if not isinstance(option, str) or not hasattr(error, "possibilities"):
        return
    from pitmanyor.reading.options import Options

    name = option.lstrip("-").replace("-", "_")
    if name in Options.__annotations__:
        error.message = f"No such option: {option}. Write -O {name}=VALUE, as for every option of pitmanyor.read."
        error.possibilities = None
