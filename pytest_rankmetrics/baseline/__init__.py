"""What is recorded, and how it is joined with a new run."""
