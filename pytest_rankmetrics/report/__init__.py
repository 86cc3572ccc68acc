"""Messages and reports of gates, for people and for machines."""
