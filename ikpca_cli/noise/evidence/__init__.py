"""What tells noise from rough signal, and white noise from other, where a spectrum does not."""
