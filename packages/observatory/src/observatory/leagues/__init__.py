"""Leagues: games, seeds, divisions, submissions, memberships and what is published about them."""
