"""Look up the digest that a registry has for a reference."""

from __future__ import annotations

from coworld.build.errors import BuildError
from coworld.build.tool import find_build_tool
from coworld.engines.image_refs import is_digest_pinned_image_ref

__all__ = ["resolve_registry_image_ref"]


def resolve_registry_image_ref(image: str) -> str:
    """Return `repository@sha256:...` for a reference to a registry; pulls the image.

    Raises:
        BuildToolMissing: neither podman nor docker works here.
        BuildError: the image cannot be pulled, or no registry has it.
    """
    if is_digest_pinned_image_ref(image):
        return image
    tool = find_build_tool()
    reason = tool.pull(image)
    digest = tool.repository_digest(image)
    if digest is None:
        raise BuildError(
            f"{image} could not be pinned to a digest: {reason or 'no registry has it'}",
            hint="check the name, and sign in to its registry",
        )
    return digest
