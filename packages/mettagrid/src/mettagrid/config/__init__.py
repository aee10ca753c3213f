"""Configuration models of games and their rules."""
