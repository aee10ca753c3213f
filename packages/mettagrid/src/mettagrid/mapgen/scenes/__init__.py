"""The scenes: one module each, named as in saved configurations."""
