# Every target sets up what it needs: a virtual environment in .venv with the pinned packages.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
ENGINE := $(wildcard planner/games/hearthstone/engine/*.?pp)

.PHONY: setup test test-long play serve tournament notebook playthroughs clean

setup: $(VENV)/.engine

$(VENV)/.installed: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

# Compiles the engine too, and goes on where there is no compiler.
$(VENV)/.engine: $(VENV)/.installed setup.py $(ENGINE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@$(BIN)/python -W ignore -c "from planner.games.hearthstone.engine import available; available() or print( \
	    'the engine could not be compiled (is there a C++17 compiler?): all works, but turns take longer to plan')"
	touch $@

test: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

test-long: setup
	$(BIN)/pytest -m 'long or not long'

play: setup
	$(BIN)/planner play hunter mage --agents keep_alive,greedy --seed 2

# Says where the page is; Ctrl-C stops it.
serve: setup
	$(BIN)/planner serve

# Played anew each time: the seed gives the same games anyway.
tournament: setup
	rm -rf results/quick
	$(BIN)/planner tournament experiments/quick.yaml

# The analysis with its tables and plots, for Jupyter and editors; PLANNER_RESULTS=mine:thesis names other results.
notebook: setup
	$(BIN)/jupyter-execute --output=../results/analysis.ipynb experiments/analysis.ipynb

# The recorded matches that tests/arena compares: look at the difference before you commit it.
playthroughs: setup
	$(BIN)/python -m tests.arena.playthroughs

clean:
	rm -rf $(VENV)
