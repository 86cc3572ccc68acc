"""Reports in one HTML file: tables, pictures and queries to look into; no network, no framework."""
