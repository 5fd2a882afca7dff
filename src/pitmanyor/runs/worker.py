"""One chain of several in a process of its own: `python -m pitmanyor.runs.worker '{"run": DIRECTORY, ...}'`.

It goes on with the run in that directory. Standard output carries one JSON object per line for the parent: progress,
warnings and errors. When standard input ends, because the parent asks for an end or is gone, the chain finishes its
sweep, writes a checkpoint and ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from typing import Any

from pitmanyor.errors import PitmanyorError
from pitmanyor.runs.continuing import continue_run
from pitmanyor.sampling.progress import Swept

EVERY = 0.1  # seconds between two messages on progress


class Messages:
    """Lines of JSON to the parent; all else that is printed goes to the standard error."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._last = -EVERY

    def send(self, **said: Any) -> None:
        try:
            self._out.write(json.dumps(said) + "\n")
            self._out.flush()
        except BrokenPipeError:
            pass  # the parent is gone; the end of the standard input says so too

    def update(self, swept: Swept) -> None:
        """A sweep is done."""
        if time.monotonic() - self._last >= EVERY:
            self._last = time.monotonic()
            self.send(swept=swept)

    def warn(self, message: Warning | str, category: type[Warning], *rest: object, **more: object) -> None:
        self.send(warning=category.__name__, message=str(message))


def stop_at_end_of_input() -> None:
    """Ask for an end as SIGTERM does, once the standard input is closed."""

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1 << 10):  # not sys.stdin, whose lock the end of the process wants
            pass
        signal.raise_signal(signal.SIGTERM)  # os.kill would end the process at once on Windows

    threading.Thread(target=wait, daemon=True).start()


def main(asked: dict[str, Any]) -> int:
    messages = Messages()
    stop_at_end_of_input()
    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = messages.warn
    path = asked.pop("run")
    try:
        continue_run(path, progress=messages, **asked)
    except PitmanyorError as error:
        messages.send(error=type(error).__name__, message=str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
