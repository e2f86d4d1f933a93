"""Tables of text."""
