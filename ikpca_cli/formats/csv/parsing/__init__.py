"""The numbers of a text table, from its text."""
