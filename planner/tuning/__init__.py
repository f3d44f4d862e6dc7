"""Weights found by search: candidates play against a league, and the best of what was learnt becomes a profile."""
