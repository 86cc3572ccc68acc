"""Gates: limits on rankings, and what they say about a change."""
