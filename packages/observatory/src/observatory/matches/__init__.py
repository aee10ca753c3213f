"""Matches of the seasons, and which of their files the players may see."""
