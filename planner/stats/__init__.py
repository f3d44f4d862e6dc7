"""Statistics of tournaments: pure functions that read a table of games, without files or output.

Games are a pandas DataFrame with one row per game; `games_table` describes its columns. Import each statistic from its
own module, so that one statistic does not load the libraries of all: `intervals`, `ratings`, `paired_tests`,
`nash_ranking`, `seat_advantage`, `card_scores`, `durations`. docs/reference/statistics.md has the formulas and sources.
"""
