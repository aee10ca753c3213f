"""The game as a whole."""
