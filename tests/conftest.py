"""What every test shares: generated examples have no deadline, since other work may hold the machine up."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")
