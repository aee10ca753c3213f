"""Coworlds of our own."""
