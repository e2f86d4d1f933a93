"""Reading and writing: arrays in and out, model files."""
