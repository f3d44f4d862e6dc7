"""Battles after document 003: a deck against one to four enemies, with cards and rules that are data."""
