"""Where the time of a plan goes, for a benchmark: a stopwatch that is always in one part of the work."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Final

# Building: from the state to the program. Decoding: from its solution to plays and blows. Certifying: a legal order
# of them, replayed by the referee, and the plan that comes back.
PARTS: Final = ("building", "solving", "decoding", "certifying")


class Laps:
    """Seconds by part. Processor time unless another clock is given: other work on the machine does not count."""

    def __init__(self, clock: Callable[[], float] = process_time) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._clock = clock
        self._part = ""
        self._since = 0.0

    def enter(self, part: str) -> None:
        """From now on the time counts for this part; "" stops the watch."""
        now = self._clock()
        if self._part:
            self.seconds[self._part] += now - self._since
        self._part, self._since = part, now
