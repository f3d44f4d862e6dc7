"""Battles of a deck against one to four enemies, with cards and rules as data (after Bateni and Whitehead 2024)."""
