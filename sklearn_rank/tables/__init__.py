"""Tables of cells and a renderer for each format; knows nothing of ranking."""
