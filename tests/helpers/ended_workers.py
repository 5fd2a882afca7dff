"""Tasks that end their worker, as the kernel of the system does it when memory runs out: by SIGKILL, without a word."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from pitmanyor.shards import tasks


def end_once(mark: str, *given: Any) -> Any:
    """Sweep a shard; but the first who comes here takes its worker with it, in the middle of the sweep."""
    swept = tasks.sweep_shard(*given)
    if not _is_first(mark):
        return swept
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def end_once_while_saving(mark: str, *given: Any) -> Any:
    """Save a shard; but the first who comes here is ended when one of its arrays is in the file."""
    if not _is_first(mark):
        return tasks.save_moving(*given)
    save = np.save

    def half(file: Any, array: Any, **how: Any) -> None:
        if file.tell():
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        save(file, array, **how)

    with patch("numpy.save", half):
        return tasks.save_moving(*given)


def _is_first(mark: str) -> bool:
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
