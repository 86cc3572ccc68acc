"""Gates: rankings against limits and baselines, for the pytest plugin and the command alike.

Each step is a function of the result of the previous one: read a policy, measure the data, load a
baseline, decide a verdict, update the baseline. The verdict is data, which `view` shows. pytest is
not imported.
"""
