"""Where relevant items stand, and the only code that ranks. Imports `support`."""
