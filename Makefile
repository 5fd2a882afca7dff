# Two commands do everything on a fresh machine with Python >= 3.11, make and PyPI: `make demo` and `make test`.
# Another interpreter: `make test PYTHON=python3.12`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := src tests benchmarks examples tools docs/conf.py docs/_ext
WORKERS ?= 2

# One directory for each state of the kernels' sources; installing compiles the kernels of the ready models (decision 16).
export NUMBA_CACHE_DIR := $(shell $(PYTHON) tests/numba_cache.py)

.PHONY: help demo test check pytest pytest-nojit trust bounds package wheel docs bench clean
help:
	@echo "make demo    fit a topic model to a simulated corpus, print its topics and write their report"
	@echo "make test    lint, types, import rules and all tests"
	@echo "make check   lint, types and import rules only"
	@echo "make trust   what is promised, the tests that try to break it, and what came of it, as one table"
	@echo "make bounds  all tests with the bounds checks of Numba, which shows what kernels index"
	@echo "make wheel   build the wheel, install it into an empty environment and try it there, quickly"
	@echo "make package build sdist and wheel, install them into empty environments and use them"
	@echo "make docs    build the documentation in build/docs, with warnings as errors"
	@echo "make bench   speed and perplexity against tomotopy; two threads against one"
	@echo "make clean   remove the environment and every cache"

$(VENV)/.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
	    "pitmanyor needs Python >= 3.11, not " + sys.version.split()[0] + "; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(VENV)/.stamp-bench: $(VENV)/.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

demo: $(VENV)/.stamp
	@$(BIN)/python examples/demo.py

check: $(VENV)/.stamp
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

pytest-nojit: $(VENV)/.stamp
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m nojit -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Kernels are compiled once before the workers start: each of them would do it with a cold cache. A worker takes whole
# files, whose tests share fixtures and what they have computed.
pytest: $(VENV)/.stamp
	$(BIN)/python tests/warm_up.py
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# One after the other even under `make -j`: the full run comes last, so its summary is the last thing printed.
test:
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory pytest-nojit
	@$(MAKE) --no-print-directory pytest

trust: $(VENV)/.stamp
	@$(BIN)/python tools/trust.py $(TRUST)

# The kernels with checks are kept beside the others.
bounds: export NUMBA_BOUNDSCHECK := 1
bounds: export NUMBA_CACHE_DIR := $(NUMBA_CACHE_DIR)-bounds
bounds: $(VENV)/.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

docs: $(VENV)/.stamp
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	@echo "The site: build/docs/index.html"

bench: $(VENV)/.stamp-bench
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.threads

package:
	$(PYTHON) tools/check_package.py

# The wheel alone, with kernels in plain Python: within a minute.
wheel:
	$(PYTHON) tools/check_package.py --quick

clean:
	rm -rf $(VENV) src/pitmanyor/kernels/machine_code .numba_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
