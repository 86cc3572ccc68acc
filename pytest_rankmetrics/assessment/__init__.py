"""From values to a verdict."""
