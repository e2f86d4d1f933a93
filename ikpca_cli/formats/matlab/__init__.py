"""MATLAB files: versions 5 and 7.3."""
