"""Start and stop the programs of an episode."""
