"""What tells rows of a table from samples of a recording."""
