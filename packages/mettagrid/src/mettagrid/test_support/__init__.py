"""Helpers for tests of games and policies."""
