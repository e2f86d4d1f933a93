"""What is wrong with a text table, and what may help."""
