"""Run a one-shot role: variables in, one output and exit code 0, or one sentence on stderr and exit code 1."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping

from coworld.roles.episode import RoleInputError
from coworld.uris.transfer import UriError

FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""dates in archives are fixed, so that the same input gives the same bytes"""


def run_role(role: Callable[[], None]) -> int:
    """Run a role's work and turn what is wrong with its surroundings into an exit status."""
    try:
        role()
    except (RoleInputError, UriError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def variable(name: str) -> str:
    """Return a required variable."""
    value = os.environ.get(name)
    if not value:
        raise RoleInputError(f"{name} is not set")
    return value


def listed(name: str) -> list[str]:
    """Return the URIs in a comma-separated list; a missing variable is an empty list."""
    return [uri.strip() for uri in os.environ.get(name, "").split(",") if uri.strip()]


def json_bytes(document: object) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def archive(members: Mapping[str, bytes]) -> bytes:
    """Return a zip with these members, the same bytes for the same members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, FIRST_DATE)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, data)
    return buffer.getvalue()
