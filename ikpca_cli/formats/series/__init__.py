"""Series of numbers with their classes."""
