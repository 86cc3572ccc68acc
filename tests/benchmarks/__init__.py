"""Speed as ratios to peers, side by side in one run; and simulations of error rates.

``python -m tests.benchmarks`` measures the rows of rows.py. The other modules are commands
of their own; the pages that quote them name them.
"""
