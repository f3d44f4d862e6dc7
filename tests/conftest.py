"""Settings of all tests: generated examples have no deadline, and the referee checks every action of a match."""

from __future__ import annotations

from hypothesis import settings

from planner.games.hearthstone.engine.referee import AUDIT

settings.register_profile("project", deadline=None)
settings.load_profile("project")
AUDIT.every = 1
