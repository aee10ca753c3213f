"""Missions."""
