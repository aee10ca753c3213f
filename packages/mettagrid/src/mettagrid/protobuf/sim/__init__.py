"""Messages about simulations."""
