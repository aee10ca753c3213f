"""Ready-made pieces and small example environments."""
