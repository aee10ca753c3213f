"""What starts and stops the programs of an episode."""
