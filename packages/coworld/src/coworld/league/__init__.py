"""Coworlds as games of a league: what the server asks, and the episodes that its workers play."""
