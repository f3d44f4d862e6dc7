"""Settings of all tests: generated examples have no deadline, and every action and match is audited."""

from __future__ import annotations

from hypothesis import settings

from planner.arena.tournament.experiment import AuditDefault
from planner.games.hearthstone.engine.referee import AUDIT

settings.register_profile("project", deadline=None)
settings.load_profile("project")
AUDIT.every = 1
AuditDefault.every = 1
