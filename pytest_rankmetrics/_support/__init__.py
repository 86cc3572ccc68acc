"""Words, names and plain values; knows nothing of gates."""
