"""Kits for programs that play."""
