"""The documents of a Coworld as pydantic models. `coworld.types` re-exports them as the public API."""
