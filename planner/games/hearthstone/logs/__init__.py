"""Client logs of the real game: matches read from them, the states that a player saw, and what the best turns were."""
