"""Running one episode."""
