"""Seasons: pools, members, teams, standings."""
