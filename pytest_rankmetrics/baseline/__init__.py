"""Baselines, and their join with a new run."""
