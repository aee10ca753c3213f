"""URIs of policies: what they name and where it is. `schemes` has the functions, `base` the types."""
