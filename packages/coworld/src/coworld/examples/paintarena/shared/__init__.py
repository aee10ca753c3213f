"""Shared code of games and players in the style of Paint Arena."""
