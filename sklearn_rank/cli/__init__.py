"""The command ``sklearn-rank``: its options, its subcommands and its messages."""

from sklearn_rank.cli.main import main

__all__ = ["main"]
