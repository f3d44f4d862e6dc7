"""Search for weights: candidates play against a league, and the result becomes a weight profile."""
