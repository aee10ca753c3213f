"""Folding the stored results of a season again, and comparing everything that was decided."""
