"""The pre-images of ikPCA: how a model of each is asked for, chosen and fitted."""
