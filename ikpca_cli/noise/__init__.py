"""What is believed about the noise."""
