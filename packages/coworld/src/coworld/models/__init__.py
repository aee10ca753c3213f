"""The documents of a Coworld as pydantic models. `coworld.types` is the public door to all of them."""
