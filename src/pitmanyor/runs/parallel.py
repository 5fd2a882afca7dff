"""Chains side by side: a process for each, all of them watched, and ended, from here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from pitmanyor import errors, machine
from pitmanyor.call_checks import callers_level
from pitmanyor.errors import PitmanyorError, StateError
from pitmanyor.runs.signals import Termination
from pitmanyor.sampling.interrupt import Interrupt
from pitmanyor.sampling.progress import Bars, Swept

PAUSE = 0.2  # seconds between two looks at signals


class Worker:
    """A process that goes on with one run, and what it said."""

    def __init__(self, home: Path, options: dict[str, Any]) -> None:
        self.home = home
        self.error: PitmanyorError | None = None
        self.asked = False  # for an end
        self._listener: threading.Thread | None = None
        place = str(Path(__file__).parents[2])  # where this package is
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        paths = os.pathsep.join([place, *filter(None, given)])  # an empty one would be the current directory
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pitmanyor.runs.worker", json.dumps({"run": str(home)} | options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": paths},
            **machine.apart(),  # Ctrl-C at a terminal is for the parent alone
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout

    def stop(self) -> None:
        """Ask for an end: the chain finishes its sweep, saves itself and ends."""
        self.asked = self.asked or self.process.poll() is None
        self.input.close()

    def end(self) -> None:
        """Leave nothing running."""
        self.process.kill()
        self.process.wait()
        self.input.close()
        if self._listener is not None:
            self._listener.join()
        self.output.close()

    def listen(self, to: Queue[tuple[Worker, dict[str, Any] | None]]) -> None:
        """Pass on what the process says, and None at its end; in a thread, because not every system waits for pipes."""

        def pass_on() -> None:
            try:
                for line in self.output:
                    to.put((self, json.loads(line)))
            except (OSError, ValueError):  # the pipe was closed, or the process was killed within a line
                pass
            to.put((self, None))

        self._listener = threading.Thread(target=pass_on, daemon=True)
        self._listener.start()

    def failure(self) -> PitmanyorError | None:
        """Why the process did not reach its end, if it did not and was not asked to stop."""
        code = self.process.returncode
        if self.error is not None or code == 0 or (self.asked and machine.was_asked_to_end(code)):
            return self.error
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        memory = "; the machine may have run out of memory" if machine.was_killed(code) else ""
        return StateError(f"its process {how}{memory}; its last checkpoint is there")


def continue_together(homes: Sequence[Path], options: dict[str, Any], progress: Bars) -> None:
    """Go on with several runs at the same time, each in a process of its own, until all are done.

    Ctrl-C or SIGTERM ends all of them after their sweeps, and so does an error in one of them; every chain then writes
    a checkpoint. A second Ctrl-C breaks off at once, which leaves the checkpoints before. If this process is killed,
    the chains notice it, save themselves and end.
    options: those of `continue_run`.
    """
    workers: list[Worker] = []
    with Termination(True) as termination, Interrupt() as interrupt, progress:
        try:
            for home in homes:
                workers.append(Worker(home, options | {"beside": len(homes)}))
            _watch(workers, progress, lambda: interrupt.asked or termination.asked)
        finally:
            for worker in workers:
                worker.end()
    termination.deliver()
    failed = {worker.home.name: error for worker in workers if (error := worker.failure())}
    if failed:
        name, error = next(iter(failed.items()))
        others = "" if len(workers) == len(failed) else " (the other chains were stopped, and are saved)"
        raise type(error)(f"{name}: {error}{others}")


def _watch(workers: Sequence[Worker], progress: Bars, asked: Callable[[], bool]) -> None:
    """Listen until all processes have ended; ask all of them to stop if one fails, or if `asked` says so."""
    heard: Queue[tuple[Worker, dict[str, Any] | None]] = Queue()
    for worker in workers:
        worker.listen(heard)
    running = set(workers)
    while running:
        with suppress(Empty):
            worker, message = heard.get(timeout=PAUSE)
            if message is None:
                worker.process.wait()
                running.discard(worker)
            else:
                _heed(worker, message, progress, workers.index(worker))
        if asked() or any(worker.process.returncode for worker in workers):
            for worker in workers:
                worker.stop()


def _heed(worker: Worker, message: dict[str, Any], progress: Bars, chain: int) -> None:
    if "warning" in message:
        category = getattr(errors, message["warning"], UserWarning)
        warnings.warn(f"{worker.home.name}: {message['message']}", category, stacklevel=callers_level())
    elif "error" in message:
        worker.error = getattr(errors, message["error"])(message["message"])
    else:
        progress.update(Swept(*message["swept"]), chain)
