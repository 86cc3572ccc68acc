"""Rows that wait for a change of the package, which is under way."""

PENDING: set[str] = set()
