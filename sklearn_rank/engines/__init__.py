"""Frames of Spark: its tasks read them with the readers of memory."""
