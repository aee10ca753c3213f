"""Missions, policies and evaluation for the games of the Alignment League."""
