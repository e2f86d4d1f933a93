"""Files of arrays, in and out."""
