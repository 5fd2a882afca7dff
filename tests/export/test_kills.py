"""SIGKILL while reports, exports and names are written: there is the old file or the new one, and the run is whole."""

import json
import os
import subprocess
import sys

import pytest

import saving


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forks")
def test_kills_leave_the_old_file_or_the_new_one(named, tmp_path):
    script = saving.__file__.replace("saving.py", "kill_outputs.py")
    (tmp_path / "out").mkdir()
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, script, named.home, tmp_path / "out"], capture_output=True, text=True, env=paths
    )
    assert done.returncode == 0, done.stderr
    for name, (killed, amid) in json.loads(done.stdout).items():
        assert killed > amid >= 4, name  # in the middle of a write, and when a part was about to take the file's place
