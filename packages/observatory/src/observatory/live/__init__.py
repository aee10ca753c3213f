"""Matches that people watch while they are played: docs/decisions/0030-for-people.md."""
