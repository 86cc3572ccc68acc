"""What pytest must not import here: a reader of each program's answers, run by that program's own environment."""

collect_ignore_glob = ["run_*.py"]
