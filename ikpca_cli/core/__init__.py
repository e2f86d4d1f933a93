"""Numbers only: no files, no printing."""
