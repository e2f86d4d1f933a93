"""How good a result is, with and without clean rows."""
