"""Helpers for map generation."""
