"""Assays: one policy on a list of missions."""
