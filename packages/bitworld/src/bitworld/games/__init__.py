"""The games of this package. Each registers itself through the entry-point group `bitworld.games`."""
