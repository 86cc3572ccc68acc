"""The plugin, tested from outside: each test runs a small suite and reads what it says."""
