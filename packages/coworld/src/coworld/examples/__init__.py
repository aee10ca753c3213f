"""Example Coworlds."""
