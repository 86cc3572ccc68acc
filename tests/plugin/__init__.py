"""The plugin, tested from outside: each test runs pytest on a small suite and reads what it says."""
