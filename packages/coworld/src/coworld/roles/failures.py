"""The error of a role that did not do its work."""

from coworld.errors import CoworldError

__all__ = ["RoleFailed"]


class RoleFailed(CoworldError):
    """A role crashed, timed out or wrote invalid output."""
