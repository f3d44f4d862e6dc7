"""What every test shares: generated examples have no deadline, since other work may hold the machine up, and the
referee looks at every action of a match."""

from __future__ import annotations

from hypothesis import settings

from planner.games.hearthstone.engine.referee import AUDIT

settings.register_profile("house", deadline=None)
settings.load_profile("house")
AUDIT.every = 1
