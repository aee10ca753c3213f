"""Parse the secrets of a policy: KEY=VALUE, KEY (from the environment), or a file of KEY=VALUE lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from softmax.client.errors import ClientError

__all__ = ["BadSecret", "read_secrets"]

KEY = re.compile(r"[A-Z_][A-Z0-9_]*")
MAX_KEYS, LONGEST_KEY, LONGEST_VALUE = 10, 100, 2000


class BadSecret(ClientError):
    """A secret that servers do not accept. The message never contains the secret's value."""


def read_secrets(pairs: Sequence[str] = (), files: Sequence[Path] = ()) -> dict[str, str]:
    """Return all secrets by name; later ones win, and pairs win over files."""
    secrets: dict[str, str] = {}
    for path in files:
        secrets.update(_pair(line, str(path)) for line in _lines(path))
    secrets.update(_pair(text, "--secret-env") for text in pairs)
    if len(secrets) > MAX_KEYS:
        raise BadSecret(f"A policy can have at most {MAX_KEYS} secrets; got {len(secrets)}")
    return secrets


def _lines(path: Path) -> Iterable[str]:
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        raise BadSecret(f"{path} is not a text file") from None
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


def _pair(text: str, place: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not KEY.fullmatch(key) or len(key) > LONGEST_KEY:
        raise BadSecret(f"A secret's name in {place} must use capital letters, digits and _, such as API_KEY=VALUE")
    if not equals:
        if key not in os.environ:
            raise BadSecret(f"{key} is not in the environment; set it, or write {key}=VALUE")
        value = os.environ[key]
    if len(value) > LONGEST_VALUE:
        raise BadSecret(f"The value of {key} is longer than {LONGEST_VALUE} characters")
    return key, value
