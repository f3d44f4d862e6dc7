"""Specifications in Z: notation, type checker, interpreter and prover. Games have the specifications."""
