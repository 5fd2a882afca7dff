"""Tasks that end their worker, as the kernel of the system does it when memory runs out: by SIGKILL, without a word."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from pitmanyor.shards import tasks


def end_once(mark: str, *given: Any) -> Any:
    """Sweep a shard; but the first who comes here takes its worker with it, in the middle of the sweep."""
    swept = tasks.sweep_shard(*given)
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return swept
    os.kill(os.getpid(), signal.SIGKILL)
    return None
