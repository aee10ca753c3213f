"""Resolve the URIs of policies. `schemes` has the functions, `base` the types."""
