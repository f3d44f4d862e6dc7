# Every target sets up what it needs: a virtual environment in .venv with the pinned packages.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
ENGINE := $(wildcard planner/games/hearthstone/engine/*.?pp)

.PHONY: setup test test-long play tournament playthroughs clean

setup: $(VENV)/.engine

$(VENV)/.installed: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

# Compiles the engine too, and goes on where there is no compiler.
$(VENV)/.engine: $(VENV)/.installed setup.py $(ENGINE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

test: setup
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

test-long: setup
	$(BIN)/pytest -m 'long or not long'

play: setup
	$(BIN)/planner play hunter mage --agents keep_alive,greedy --seed 2

# Played anew each time: the seed gives the same games anyway.
tournament: setup
	rm -rf results/quick
	$(BIN)/planner tournament experiments/quick.yaml

# The recorded matches that tests/arena compares: look at the difference before you commit it.
playthroughs: setup
	$(BIN)/python -m tests.arena.playthroughs

clean:
	rm -rf $(VENV)
