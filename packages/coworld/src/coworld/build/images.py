"""Resolve every image of a manifest to a reference that always means the same contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coworld.build.compose import DEFAULT_PLATFORM
from coworld.build.errors import BuildError
from coworld.build.tool import BuildTool, PullPolicy
from coworld.engines.image_refs import (
    image_ref_without_tag,
    is_coworld_content_tag,
    is_digest_pinned_image_ref,
    is_mutable_registry_image_ref,
    is_unresolved_image_id,
)

__all__ = ["ResolvedImage", "content_tag", "resolve_image", "tag_by_content"]


@dataclass(frozen=True)
class ResolvedImage:
    """One image of a manifest and the reference that replaces it."""

    image: str
    reference: str
    how: str
    """`built`, `tagged by content`, `pinned by digest` or `unchanged`"""
    image_id: str | None = None


def content_tag(image: str, image_id: str) -> str:
    """Return `NAME:coworld-` and the first 12 digits of the image's id."""
    return f"{image_ref_without_tag(image)}:coworld-{image_id[:12]}"


def resolve_image(
    image: str,
    tool: BuildTool,
    *,
    platform: str | None = None,
    pull: PullPolicy = "newer",
    note: Callable[[str], None] = lambda text: None,
) -> ResolvedImage:
    """Resolve an image that is not built here.

    Raises:
        BuildError: neither this machine nor a registry has the image.
    """
    if is_unresolved_image_id(image):
        raise BuildError(f"{image} is the id of a hosted image", hint="name an image of the compose file instead")
    if is_digest_pinned_image_ref(image) or is_coworld_content_tag(image):
        if tool.image_id(image) is None and pull != "never" and (reason := tool.pull(image)):
            note(f"{image} is not on this machine and could not be pulled: {reason}")
        return ResolvedImage(image, image, "unchanged", tool.image_id(image))
    local = tool.image_id(image)
    reason, pulled = None, False
    mutable = is_mutable_registry_image_ref(image)
    if (mutable and pull == "newer") or (local is None and pull != "never"):
        reason = tool.pull(image, platform or DEFAULT_PLATFORM)
        pulled = reason is None
        local = tool.image_id(image)
    if local is None:
        if _is_built_in(image):
            note(f"{image} comes with coworld and stays as it is")
            return ResolvedImage(image, image, "unchanged")
        why = f": {reason}" if reason else ""
        raise BuildError(
            f"image {image} is not on this machine, and could not be pulled{why}",
            hint="build it with a service of the compose file, or sign in to its registry",
        )
    if mutable:
        # podman gives images that were built here a digest too, which no registry knows.
        if (pulled or tool.name == "docker") and (digest := tool.repository_digest(image)):
            return ResolvedImage(image, digest, "pinned by digest", local)
        note(f"{image} was not compared with its registry; the image of this name on this machine is used")
    return tag_by_content(image, local, tool, "tagged by content")


def tag_by_content(image: str, image_id: str, tool: BuildTool, how: str) -> ResolvedImage:
    """Give an image its content tag; raises BuildError."""
    reference = content_tag(image, image_id)
    tool.tag(image_id, reference)
    return ResolvedImage(image, reference, how, image_id)


def _is_built_in(image: str) -> bool:
    """Return whether an installed package has the program of an image, for the process engine."""
    from coworld.engines.base import ImageUnreachable
    from coworld.engines.local_images import LocalImages

    try:
        LocalImages.beside(None).find(image)
    except ImageUnreachable:
        return False
    return True
