"""Settings, limits and verdicts."""
