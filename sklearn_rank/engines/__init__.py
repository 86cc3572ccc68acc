"""Lazy frames and files larger than memory: engines read them, the readers of memory rank them."""
