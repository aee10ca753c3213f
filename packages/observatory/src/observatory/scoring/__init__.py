"""From scores of matches to standings: pure functions."""
