"""Map generation from nested scenes."""
