"""How many bytes this process may still take: of the machine, of its control groups and under `ulimit -v`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pitmanyor import machine

MEMINFO = Path("/proc/meminfo")
STATM = Path("/proc/self/statm")
GROUPS_OF_THIS_PROCESS = Path("/proc/self/cgroup")
MOUNT = Path("/sys/fs/cgroup")
# of a control group, in its second and first version: the limit, what is taken, and what of it files can give back
NAMES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
UNKNOWN = 2**62  # bytes, where the system does not tell


def room() -> int:
    """Bytes that this process may still take without being killed, refused or swapped."""
    return max(0, min(available(), left_of_address_space(), *left_in_groups(), UNKNOWN))


def available() -> int:
    """Bytes that programs may take on this machine, files in memory being given up for them."""
    for line in _read(MEMINFO).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    free = machine.free_memory()
    return machine.total_memory() or UNKNOWN if free is None else free


def left_of_address_space() -> int:
    """Bytes that `ulimit -v` leaves to this process."""
    limit = machine.address_space()
    if limit is None:
        return UNKNOWN
    mapped = _read(STATM).split()[:1]
    return limit - (int(mapped[0]) * os.sysconf("SC_PAGE_SIZE") if mapped else 0)


def left_in_groups() -> Iterator[int]:
    """Bytes that each control group of this process leaves to it: its own, those that hold that one, and the mount."""
    for home in _groups(_read(GROUPS_OF_THIS_PROCESS)):
        for limit_name, taken_name, files_name in NAMES:
            limit, taken = _read(home / limit_name).strip(), _read(home / taken_name).strip()
            if limit.isdigit():  # or "max"
                facts = dict(line.split()[:2] for line in _read(home / "memory.stat").splitlines() if " " in line)
                files = int(facts.get(files_name, 0))
                yield int(limit) - max(0, int(taken or 0) - files)


def _groups(said: str) -> list[Path]:
    """Directories of the control groups that /proc/self/cgroup names, parents included.

    >>> [path.as_posix() for path in _groups("4:memory:/a/b\\n0::/c")]  # doctest: +NORMALIZE_WHITESPACE
    ['/sys/fs/cgroup/memory/a/b', '/sys/fs/cgroup/memory/a', '/sys/fs/cgroup/memory',
     '/sys/fs/cgroup/c', '/sys/fs/cgroup']
    """
    found = []
    for line in said.splitlines():
        number, kinds, path = (line.split(":", 2) + ["", ""])[:3]
        if "memory" in kinds.split(","):
            home = MOUNT / "memory"
        elif number == "0":
            home = MOUNT
        else:
            continue
        parts = [part for part in path.split("/") if part not in ("", "..")]
        found += [home.joinpath(*parts[:n]) for n in range(len(parts), -1, -1)]
    return found or [MOUNT, MOUNT / "memory"]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
