"""Shaped rewards."""
