"""`cogames bitworld ...`: the commands that this distribution adds to `cogames`."""
