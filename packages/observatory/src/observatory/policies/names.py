"""Rules for the names of policies and for host names."""

from __future__ import annotations

import re

from observatory.errors import Unprocessable

__all__ = ["check_policy_name", "is_host"]

MAX_NAME_CHARACTERS = 64

_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(\*\.)?({_LABEL}\.)*{_LABEL}(:[0-9]{{1,5}})?")
MAX_HOST_CHARACTERS = 253


def check_policy_name(name: str) -> str:
    """Return the name without surrounding spaces; raise `Unprocessable` for an invalid one."""
    name = name.strip()
    if not name or len(name) > MAX_NAME_CHARACTERS:
        raise Unprocessable(f"The name of a policy has 1 to {MAX_NAME_CHARACTERS} characters")
    if ":" in name:
        raise Unprocessable("The name of a policy must not contain `:`, which comes before its version")
    if not name.isprintable():
        raise Unprocessable("The name of a policy must not contain control characters")
    return name


def is_host(text: str) -> bool:
    """Return whether a text is a host name in lower case, with an optional port."""
    return len(text) <= MAX_HOST_CHARACTERS and _HOST.fullmatch(text) is not None
