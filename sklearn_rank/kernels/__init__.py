"""Formulas: judged rankings in, one float64 per query out, NaN if the measure is undefined.

Kernels check nothing and average nothing. A query without a relevant item is undefined for every
measure of relevance. For tied items each kernel computes the exact expectation over all their
orders.
"""
