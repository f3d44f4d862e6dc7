"""Benchmarks: planning speed, growth with the size of a turn, and the service under load."""
