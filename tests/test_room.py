"""How many bytes are available to this process."""

import subprocess
import sys

import pytest

from pitmanyor import machine, room

GB = 10**9


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Files that say what Linux says, none at first; and no limit of the shell."""
    for name in ("MEMINFO", "STATM", "GROUPS_OF_THIS_PROCESS", "MOUNT"):
        monkeypatch.setattr(room, name, tmp_path / name)
    monkeypatch.setattr(machine, "address_space", lambda: None)
    (tmp_path / "MEMINFO").write_text(f"MemTotal: {64 * GB // 1024} kB\nMemAvailable: {32 * GB // 1024} kB\n")
    return tmp_path


def write(home, **files):
    home.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (home / name.replace("memory_", "memory.")).write_text(content)


def test_what_others_have_taken_is_not_left(system, monkeypatch):
    assert room.room() == 32 * GB // 1024 * 1024
    (system / "MEMINFO").unlink()
    monkeypatch.setattr(machine, "free_memory", lambda: 7)
    assert room.room() == 7
    monkeypatch.setattr(machine, "free_memory", lambda: None)
    monkeypatch.setattr(machine, "total_memory", lambda: 9)
    assert room.room() == 9
    monkeypatch.setattr(machine, "total_memory", lambda: None)
    assert room.room() == room.UNKNOWN


@pytest.mark.parametrize("above", [False, True])
def test_a_control_group_leaves_what_it_has_not_taken_and_its_files(system, above):
    (system / "GROUPS_OF_THIS_PROCESS").write_text("0::/job/step\n")
    own, upper = system / "MOUNT" / "job" / "step", system / "MOUNT" / "job"
    write(own, memory_max="max\n", memory_current="1\n")
    assert room.room() > 30 * GB
    stat = f"anon 5\ninactive_file {GB}\n"
    write(upper if above else own, memory_max=f"{4 * GB}\n", memory_current=f"{3 * GB}\n", memory_stat=stat)
    assert room.room() == 2 * GB
    write(upper if above else own, memory_max="5\n")
    assert room.room() == 0


def test_control_groups_of_the_first_version_and_containers_that_hide_theirs(system):
    (system / "GROUPS_OF_THIS_PROCESS").write_text("4:memory:/job\n")
    home, names = system / "MOUNT" / "memory", {"memory_limit_in_bytes": f"{4 * GB}", "memory_usage_in_bytes": f"{GB}"}
    write(home, **names, memory_stat=f"total_inactive_file {GB // 2}")
    assert room.room() == 7 * GB // 2
    (system / "GROUPS_OF_THIS_PROCESS").unlink()
    assert room.room() == 7 * GB // 2
    write(home / "job", memory_limit_in_bytes="17", memory_usage_in_bytes="0")
    (system / "GROUPS_OF_THIS_PROCESS").write_text("4:memory:/job\n")
    assert room.room() == 17


def test_what_ulimit_leaves():
    """As addresses are counted: those of libraries and of stacks are among them."""
    resource = pytest.importorskip("resource")
    assert resource.getrlimit(resource.RLIMIT_AS)
    limit = 4 << 30
    code = "import numpy as np; from pitmanyor.room import room; had = room(); a = np.empty(1 << 30, np.uint8); "
    code += "print(had, had - room())"
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit})); {code}"
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=True)
    had, taken = map(int, done.stdout.split())
    assert 1 << 30 < had < limit
    assert 1 << 30 <= taken < 1.1 * (1 << 30)
