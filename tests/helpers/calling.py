"""The command line as tests call it."""

from __future__ import annotations

import json
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from pitmanyor.cli.app import app


def call(*args: object, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def facts(*args: object, code: int = 0) -> Any:
    return json.loads(call(*args, "--json", code=code).stdout)
