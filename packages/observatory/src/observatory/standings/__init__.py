"""The standings of a season, read from its matches."""
