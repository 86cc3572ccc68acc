"""The scripts here are run by a test of their own; collecting them for doctests would run them."""

collect_ignore_glob = ["*.py"]
