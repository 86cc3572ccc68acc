"""Values that name a measure, and their text forms; they see no data. Imports `kernels`."""
