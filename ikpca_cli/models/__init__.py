"""Models in feature space and their pre-images; no parameters are chosen here."""
