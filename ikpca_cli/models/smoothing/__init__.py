"""Estimators that know of an order along the row: neighbouring numbers are alike."""
