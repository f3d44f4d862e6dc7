"""One turn of any game as an optimisation problem."""
