"""Judged rankings, and the only code that ranks. Imports `support`."""
