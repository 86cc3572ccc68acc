"""Exact bounds of values over all judgements of unjudged items. Imports `measures`, `kernels`.

The value of a measure assumes one grading of the unjudged items: all are irrelevant. Each module
here knows, for one family of measures, few gradings among which the least and the greatest value
are, whatever the other gradings are.
"""
