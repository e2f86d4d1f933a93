"""Beats, or other events that come again: found, cut, and put back."""
