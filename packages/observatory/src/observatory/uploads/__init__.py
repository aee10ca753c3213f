"""From an uploaded bundle to a policy version."""
