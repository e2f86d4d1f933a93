"""What random features pass through: a function forward, and the way back on the row's branch."""
