"""Gates: rankings against limits and baselines, for the pytest plugin and the command alike.

Straight, each step a function whose value the next one takes: a policy is read, the data measured,
a baseline loaded, a verdict decided, the baseline updated, and all of it said. Imports `report` and
what lies below, and no pytest.
"""
