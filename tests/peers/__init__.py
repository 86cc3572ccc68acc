"""How other programs count: given problems, the programs that solve them, and their record.

The programs conflict and are large, so each runs in an environment of its own (``.ci/peers``):
``programs.py`` reads problems and writes values, and imports nothing of this package.
``python -m tests.peers`` calls them and writes docs/_presets.json, against which the tests check.
"""
