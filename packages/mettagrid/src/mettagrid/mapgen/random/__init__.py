"""Random numbers described in configurations."""
