"""Recompute a season from its stored results and compare all decisions."""
