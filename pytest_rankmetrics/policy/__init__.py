"""What is allowed: settings, limits and verdicts."""
