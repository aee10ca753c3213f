"""Measure how fast environments step."""
