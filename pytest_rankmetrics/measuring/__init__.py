"""Evaluation that refuses to overlook anything."""
