"""Build the sdist and the wheel, install each into an empty environment, and use it there.

    python tools/check_package.py [--quick] [--out dist] [--python python3.12 ...]

Every Python from 3.11 on that is found on this machine gets the wheel, which has no compiled kernels and serves all of
them. The one that runs this script also gets the sdist, whose installation compiles the kernels of the ready models.
With --quick nothing is compiled, and the sdist is only what the wheel is built from.
Leaves with 0 if all of them read, fit, save and report, and find every data file; otherwise says which one did not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
NONE: Mapping[str, str] = {}
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
SMOKE = """
import sys
from importlib.metadata import version
from pathlib import Path
import pitmanyor
from pitmanyor import fit, load, models, read, simulate_microblog, write_report
assert "site-packages" in pitmanyor.__file__, pitmanyor.__file__
assert pitmanyor.__version__ == version("pitmanyor"), (pitmanyor.__version__, version("pitmanyor"))
assert (Path(pitmanyor.__file__).parent / "py.typed").is_file()
posts, _ = simulate_microblog(posts=60, authors=4, seed=1).write(Path("data"))
result = fit(models.lda(3), read(str(posts)), sweeps=3, seed=1, save_to="run")
assert load("run").topics(3) == result.topics(3)
assert write_report("run", "report.html").read_text("utf-8").startswith("<!doctype html>")
"""

AT_ONCE = """
from pitmanyor import fit, models, simulate_microblog, read
from pitmanyor.kernels.runtime.compile_notice import compile_notice
told = []
with compile_notice(told.append):
    fit(models.hpyp(), read(simulate_microblog(posts=60, authors=4, seed=1).records), sweeps=3, seed=1)
assert not told, told
"""
PURE = {"HATCH_BUILD_NO_HOOKS": "true"}  # nothing is compiled, so that the wheel is for every machine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="keep the sdist and the wheel in this directory")
    parser.add_argument("--quick", action="store_true", help="the wheel alone, and kernels in plain Python")
    parser.add_argument("--python", action="append", help="an interpreter to try; by default all that are found")
    given = parser.parse_args()
    pythons = given.python or found_pythons()
    with tempfile.TemporaryDirectory(prefix="package-") as temporary:
        home = Path(temporary)
        sdist, wheel = build(home)
        tries = [(python, wheel) for python in pythons] + [(sys.executable, sdist)] * (not given.quick)
        for i, (python, package) in enumerate(tries):
            try_package(python, package, home / f"try-{i}", given.quick)
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
            for package in (sdist, wheel):
                shutil.copy(package, given.out)
    return 0


def found_pythons() -> list[str]:
    """This interpreter, and one of every other version that starts: on the path, or below ~/.pyenv."""
    out = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for version in VERSIONS:
        below = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
        places = [shutil.which(f"python{version}"), *map(str, below)]
        for place in filter(None, places):
            asked = "import sys; print('%d.%d' % sys.version_info[:2])"
            done = subprocess.run([place, "-c", asked], capture_output=True, text=True)
            if done.returncode == 0 and done.stdout.strip() == version:
                out.setdefault(version, place)
    return list(out.values())


def build(home: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel that is built from it, as an installer would do."""
    tool = environment(sys.executable, home / "build")
    run(tool, "-m", "pip", "install", "--quiet", "hatchling>=1.18")
    run(tool, "-m", "hatchling", "build", "-t", "sdist", "-d", str(home / "dist"), cwd=ROOT)
    sdist = next((home / "dist").glob("*.tar.gz"))
    run(tool, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(home / "dist"), str(sdist), more=PURE)
    return sdist, next((home / "dist").glob("*.whl"))


def try_package(python: str, package: Path, home: Path, quick: bool) -> None:
    print(f"{package.name} with {python}", flush=True)
    inside = environment(python, home / "environment")
    run(inside, "-m", "pip", "install", "--quiet", str(package))
    work = home / "work"
    work.mkdir()
    more = {"NUMBA_DISABLE_JIT": "1"} if quick else {}
    if package.suffix == ".gz":
        run(inside, "-c", AT_ONCE, cwd=work, more={"NUMBA_CACHE_DIR": str(home / "empty")})
    run(inside, "-c", SMOKE, cwd=work, more=more)
    run(inside, "-m", "pitmanyor", "--version", cwd=work, more=more)
    run(inside, "-m", "pitmanyor", "topics", "run", "--json", cwd=work, quiet=True, more=more)


def environment(python: str, home: Path) -> str:
    """An empty environment; the path of its interpreter."""
    if python == sys.executable:
        venv.create(home, with_pip=True)
    else:
        subprocess.run([python, "-m", "venv", str(home)], check=True)
    return str(home / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def run(python: str, *args: str, cwd: Path | None = None, quiet: bool = False, more: Mapping[str, str] = NONE) -> None:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    subprocess.run([python, *args], check=True, cwd=cwd, env=env | more, stdout=subprocess.DEVNULL if quiet else None)


if __name__ == "__main__":
    sys.exit(main())
