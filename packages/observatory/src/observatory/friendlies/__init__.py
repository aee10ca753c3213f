"""Friendly matches: one user challenges a policy of another, and the match counts for nothing."""
