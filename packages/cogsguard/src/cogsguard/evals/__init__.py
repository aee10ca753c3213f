"""Missions for evaluation."""
