"""Results of several episodes of one game, and what they say together."""
