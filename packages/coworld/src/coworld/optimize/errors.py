"""What can be wrong with an optimization."""

from coworld.errors import CoworldError


class OptimizeError(CoworldError):
    """The loop cannot go on: other settings than before, a second run in the same folder, a player that cannot run."""
