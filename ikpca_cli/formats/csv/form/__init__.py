"""The form of a text table, found from its first lines."""
