"""Cogs vs Clips: the game, its missions and variants."""
