"""Intervals and tests for means over queries. Imports `support` alone."""
