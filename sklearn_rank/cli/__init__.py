"""The command ``sklearn-rank``: one module for each subcommand. Imports everything below it."""

from sklearn_rank.cli.main import main

__all__ = ["main"]
