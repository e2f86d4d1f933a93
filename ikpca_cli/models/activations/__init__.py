"""What random features pass through: a function, and its inverse on the row's branch."""
