"""The choice of parameters from noisy rows."""
