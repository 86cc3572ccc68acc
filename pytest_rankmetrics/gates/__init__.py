"""What the fixtures call."""
