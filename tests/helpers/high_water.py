"""How much memory this process ever had."""

from __future__ import annotations

from pathlib import Path

STATUS = Path("/proc/self/status")


def high_water() -> int:
    """Bytes, on Linux. `ru_maxrss` would also count what the process had that started this one."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
