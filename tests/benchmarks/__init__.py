"""Speed as ratios against peers, measured side by side; never a timed test.

Run ``python -m tests.benchmarks``, with the extra ``bench`` installed for the peers.
"""
