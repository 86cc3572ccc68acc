"""A pytest run: its options, the running test, and the records of its gates."""
