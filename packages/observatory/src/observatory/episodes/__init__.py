"""Episodes that were played, and their replays."""
