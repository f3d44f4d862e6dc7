"""Client logs of the real game: read matches, rebuild the states that a player saw, and compare with the best turns."""
