"""What pytest must not import: readers of other programs, run in those programs' environments."""

collect_ignore_glob = ["run_*.py"]
