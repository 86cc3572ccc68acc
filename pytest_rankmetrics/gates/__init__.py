"""Implementation of the fixtures."""
