"""Classify image references: pinned by digest, tagged by content, or mutable."""

from __future__ import annotations

__all__ = [
    "image_ref_without_tag",
    "is_coworld_content_tag",
    "is_digest_pinned_image_ref",
    "is_mutable_registry_image_ref",
    "is_unresolved_image_id",
]


def image_ref_without_tag(image: str) -> str:
    """Return the reference without its tag and digest; the port of a registry stays."""
    name = image.split("@", 1)[0]
    head, slash, last = name.rpartition("/")
    return head + slash + last.split(":", 1)[0]


def is_digest_pinned_image_ref(image: str) -> bool:
    """Whether the reference always means the same image."""
    return "@sha256:" in image


def is_coworld_content_tag(image: str) -> bool:
    """Whether the tag was made from the image's content (`name:coworld-0123456789ab`)."""
    _, colon, tag = image.split("@", 1)[0].rpartition("/")[2].partition(":")
    return colon == ":" and tag.startswith("coworld-")


def is_mutable_registry_image_ref(image: str) -> bool:
    """Whether the reference names something in a registry that may be another image tomorrow."""
    registry, slash, _ = image.partition("/")
    in_registry = bool(slash) and ("." in registry or ":" in registry or registry == "localhost")
    return in_registry and not is_digest_pinned_image_ref(image) and not is_coworld_content_tag(image)


def is_unresolved_image_id(image: str) -> bool:
    """Whether it is the id of an image that only a hosted league can look up."""
    return image.startswith("img_") and "/" not in image and ":" not in image
