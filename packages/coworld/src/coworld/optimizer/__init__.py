"""Published import path `coworld.optimizer.runtime`."""
