"""Systems against each other, query by query: differences, their tests, and what explains them."""
