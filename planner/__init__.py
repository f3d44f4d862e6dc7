"""Certified optimal turns for Hearthstone-like card games."""
