"""Rows of files: slices of one, or several as one."""
