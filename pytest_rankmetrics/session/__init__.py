"""A pytest run: its options, the running test, and what its gates told."""
