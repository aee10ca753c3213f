"""Errors of an optimization."""

from coworld.errors import CoworldError


class OptimizeError(CoworldError):
    """An optimization cannot start or continue: a wrong input, other settings than before, a folder in use."""
