"""Names as they are typed: `name`, `name:v3` and `name:3` for policies and seasons."""

from __future__ import annotations

from uuid import UUID

from softmax.client.errors import ClientError

__all__ = ["as_uuid", "check_upload_name", "split_reference"]

LONGEST_NAME = 64


def split_reference(text: str) -> tuple[str, int | None]:
    """Name and version; None without a version. Raises `ClientError` for a version that is no number."""
    name, colon, version = text.rpartition(":")
    if not colon:
        return text, None
    digits = version.removeprefix("v")
    if not name or not digits.isascii() or not digits.isdigit() or int(digits) < 1:
        raise ClientError(f"{text!r} has no version after the colon; write NAME, NAME:v3 or NAME:3")
    return name, int(digits)


def as_uuid(text: str) -> UUID | None:
    """The id that was typed; None when it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def check_upload_name(name: str) -> None:
    """Refuse a name that a policy cannot have."""
    if ":" in name:
        raise ClientError(f"The name {name!r} has a colon, which is for versions; choose another name")
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ClientError(f"A policy's name has 1 to {LONGEST_NAME} characters; {name!r} has {len(name.strip())}")
