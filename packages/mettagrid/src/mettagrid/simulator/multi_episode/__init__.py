"""Results of several episodes of one game, and their summary."""
