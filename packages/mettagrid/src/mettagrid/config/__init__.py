"""Configuration models: what a game is made of and by which rules it runs."""
