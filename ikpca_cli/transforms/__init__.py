"""Maps of rows to others whose noise is white, with their inverses."""
