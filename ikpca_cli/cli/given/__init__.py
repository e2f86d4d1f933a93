"""What is given on the command line, or in files beside it."""
