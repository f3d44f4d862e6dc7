"""Hearthstone-like matches: cards, rules, and everything about a turn that only this game knows."""
