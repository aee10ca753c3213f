"""Container images and the registry that holds them."""
