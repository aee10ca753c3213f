"""Coworlds: published games, their files, secrets and reporters."""
