"""Where relevant items stand: the waist, and the only code that ranks. Imports `support`."""
