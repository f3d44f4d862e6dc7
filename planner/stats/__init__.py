"""What a table of games says, and how sure one may be: pure functions, no files, no printing.

Games come as a pandas DataFrame, one row per game (`frame.py` says which columns). Each statistic is imported from
its own module, so that asking for one does not load the libraries of all: `intervals`, `matrix`, `ratings`,
`paired`, `sprt`, `ranking`, `advantage`, `length`, `times`. The formulas and their sources:
docs/reference/statistics.md.
"""
