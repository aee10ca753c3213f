"""Errors of a build."""

from coworld.errors import CoworldError

__all__ = ["BuildError", "BuildToolMissing", "ComposeError"]


class BuildError(CoworldError):
    """A step of a build failed."""


class BuildToolMissing(BuildError):
    """Neither podman nor docker can build images on this machine."""


class ComposeError(BuildError):
    """A compose file that cannot be read, or that needs more than `coworld build` supports."""
