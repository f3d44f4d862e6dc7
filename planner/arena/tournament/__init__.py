"""Tournaments: `experiment_file` reads one, `runner` plays its `schedule`, `run_store` keeps the results."""
