"""Spark frames, which tasks read with the in-memory readers."""
