"""Compile the kernels of the ready models while the package is installed from its sources, so that fits start at once.

They are compiled for this machine and kept in `pitmanyor/kernels/machine_code` (docs/decisions/0016). Nothing depends
on them: without them, or on another machine, kernels are compiled when they are first called.
`HATCH_BUILD_NO_HOOKS=true` leaves this out and gives a wheel for every machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "src/pitmanyor/kernels/machine_code"
COMPILE = "from pitmanyor.cli.compiling import compile_for_installation; compile_for_installation()"


class CompileKernels(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        start = time.perf_counter()
        self.app.display_info("Compiling the kernels of the ready models for this machine, which takes a minute or two")
        with tempfile.TemporaryDirectory(prefix="pitmanyor-kernels-") as empty:
            before = os.environ.get("PYTHONPATH", "")  # the way in which pip makes its isolated environment
            path = os.pathsep.join(filter(None, [str(Path(self.root, "src")), before]))
            env = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": empty, "NUMBA_DISABLE_JIT": "0"}
            done = subprocess.run([sys.executable, "-c", COMPILE], env=env, cwd=empty)
        if done.returncode:
            shutil.rmtree(Path(self.root, PLACE), ignore_errors=True)
            self.app.display_warning("The kernels did not compile: they will be compiled by the first fit instead")
            return
        self.app.display_success(f"Compiling took {time.perf_counter() - start:.0f} s")
        if version == "standard":  # an editable installation finds them in the sources
            build_data["artifacts"].append(f"/{PLACE}/**")
            build_data["pure_python"], build_data["infer_tag"] = False, True
