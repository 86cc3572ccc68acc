"""Runs and judgements in files: a reader for each format, all into one value. Imports `inputs`."""
