"""Tables of cells and a renderer for each format, independent of ranking."""
