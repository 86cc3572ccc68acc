"""The demonstration that ``sklearn-rank demo`` runs: two searches on data that is always there."""
