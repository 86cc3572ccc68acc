"""What gates say, for people and for machines."""
