"""All that is needed to play a match again, for those who may have it."""
