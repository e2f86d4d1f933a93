"""Rows: their sources, a first pass over them, and how work on them is cut up."""
