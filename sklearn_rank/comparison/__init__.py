"""Systems against a baseline, query by query: changes, their tests, and what explains them."""
