"""Linear algebra on top of numpy and scipy."""
