# `make setup` prepares a checkout: a virtual environment in .venv with the pinned packages, and the compiled engine.
VENV := .venv
BIN := $(VENV)/bin
# The interpreter that creates .venv, and for which `make engine` compiles.
PYTHON ?= $(if $(wildcard $(BIN)/python),$(BIN)/python,python3)
BUILD := build/engine
CMAKE := PATH="$(abspath $(dir $(PYTHON))):$(abspath $(BIN)):$$PATH" cmake

.PHONY: setup engine format test test-long play serve tournament notebook playthroughs docs clean

setup: $(VENV)/.installed
	@if command -v "$${CXX:-c++}" > /dev/null; then \
	    $(MAKE) --no-print-directory engine PYTHON=$(BIN)/python; \
	else \
	    echo "There is no C++ compiler: everything works without the engine, but plans take longer."; \
	fi

# The path file makes the checkout importable. An ordinary editable installation would go before PYTHONPATH, and so
# before other checkouts (git worktrees) that use this environment.
$(VENV)/.installed: requirements.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	PLANNER_METADATA_ONLY=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
	    --no-build-isolation .
	$(BIN)/python -c "import sysconfig, pathlib; \
	    pathlib.Path(sysconfig.get_path('purelib'), 'planner_checkout.pth').write_text('$(CURDIR)\n')"
	touch $@

# Compiles what has changed and puts the engine into the package folder of this checkout. It installs nothing:
# `make engine PYTHON=/other/venv/bin/python` compiles for another environment, which needs nanobind.
engine:
	@$(CMAKE) -S . -B $(BUILD) -G Ninja -DPython_EXECUTABLE=$(abspath $(PYTHON)) > /dev/null
	@$(CMAKE) --build $(BUILD)
	@CMAKE_INSTALL_ALWAYS=1 $(CMAKE) --install $(BUILD) --prefix . > /dev/null # else two builds in one second count as one

# Formats Python and C++.
format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find planner -name '*.[ch]pp' | xargs $(BIN)/clang-format -i

test: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find planner -name '*.[ch]pp' | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/mypy
	$(BIN)/pytest

test-long: setup
	$(BIN)/pytest -m 'long or not long'

play: setup
	$(BIN)/planner play hunter mage --agents keep_alive,greedy --seed 2

# Prints the address of the page; Ctrl-C stops it.
serve: setup
	$(BIN)/planner serve

# Starts again from nothing: the seed gives the same games.
tournament: setup
	rm -rf results/quick
	$(BIN)/planner tournament experiments/quick.yaml

# Runs the analysis with its tables and plots; PLANNER_RESULTS=mine:thesis names other results.
notebook: setup
	$(BIN)/jupyter-execute --output=../results/analysis.ipynb experiments/analysis.ipynb

# Records the matches that tests/arena compares again. Look at the difference before you commit it.
playthroughs: setup
	$(BIN)/python -m tests.arena.playthroughs

# Builds the documentation site into build/site; a broken link or an orphan page is an error.
docs: $(VENV)/.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build
