"""Noise models: what noise may be like, each with its own evidence."""
