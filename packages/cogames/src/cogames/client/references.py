"""Parse references to policies and seasons: `name`, `name:v3` and `name:3`."""

from __future__ import annotations

from uuid import UUID

from softmax.client.errors import ClientError

__all__ = ["as_uuid", "check_upload_name", "split_reference"]

LONGEST_NAME = 64


def split_reference(text: str) -> tuple[str, int | None]:
    """Return name and version (None if absent); raise `ClientError` for a version that is not a positive number."""
    name, colon, version = text.rpartition(":")
    if not colon:
        return text, None
    digits = version.removeprefix("v")
    if not name or not digits.isascii() or not digits.isdigit() or int(digits) < 1:
        raise ClientError(f"{text!r} has no valid version after the colon; write NAME, NAME:v3 or NAME:3")
    return name, int(digits)


def as_uuid(text: str) -> UUID | None:
    """Parse an id; return None if the text is not one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def check_upload_name(name: str) -> None:
    """Raise `ClientError` for a name that a policy cannot have."""
    if ":" in name:
        raise ClientError(f"The name {name!r} contains a colon, which is reserved for versions; choose another name")
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ClientError(f"A policy name must have 1 to {LONGEST_NAME} characters; {name!r} has {len(name.strip())}")
