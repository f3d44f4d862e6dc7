"""Agents: the planner, the random baseline, and classes and programs that users bring."""
