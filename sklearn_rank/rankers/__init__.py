"""Learning-to-rank estimators that take `groups`. Imports `model_selection`."""
