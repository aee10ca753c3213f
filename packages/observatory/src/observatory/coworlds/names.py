"""Names of Coworlds. `-` and `_` are the same, as are upper and lower case."""

from __future__ import annotations

import re

__all__ = ["is_coworld_name", "name_key"]

MAX_NAME_CHARACTERS = 100

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]*")


def name_key(name: str) -> str:
    """Return the form in which names are compared."""
    return name.replace("-", "_").lower()


def is_coworld_name(name: str) -> bool:
    """Return whether a name can be in an address and a command."""
    return len(name) <= MAX_NAME_CHARACTERS and _NAME.fullmatch(name) is not None and not name.endswith(" ")
