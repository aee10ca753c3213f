"""Refuse unsafe settings on a server that other machines can reach."""

from __future__ import annotations

import stat
from urllib.parse import urlsplit

from observatory.accounts.callbacks import is_loopback_host
from observatory.keys import MASTER_KEY_FILE, SECRET_KEY_FILE
from observatory.settings import Settings

__all__ = ["UnsafeSettings", "is_reachable_by_others", "startup_problems"]

_DEFAULTS = ("changeme", "change-me", "default", "secret", "password", "example", "insecure", "test")
_MIN_DISTINCT_CHARACTERS = 10


class UnsafeSettings(ValueError):
    """The settings are unsafe; each line of the message says what to change."""


def startup_problems(settings: Settings) -> list[str]:
    """Return a sentence for each unsafe setting; none for a server that only this machine can reach."""
    if not is_reachable_by_others(settings):
        return []
    problems = []
    if not is_loopback_host(settings.host) and not (settings.public_url or "").startswith("https://"):
        problems.append(
            f"The server listens on {settings.host}: set OBSERVATORY_PUBLIC_URL to the https:// address people use"
        )
    for name, value in (
        ("OBSERVATORY_SECRET_KEY", settings.secret_key),
        ("OBSERVATORY_MASTER_KEY", settings.master_key),
        ("OBSERVATORY_GITHUB_CLIENT_SECRET", settings.github_client_secret),
    ):
        if value is not None and looks_like_a_default(value.get_secret_value()):
            problems.append(f"{name} can be guessed: make one with `openssl rand -base64 32`")
    for file in (SECRET_KEY_FILE, MASTER_KEY_FILE):
        path = settings.data_dir / file
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            problems.append(f"{path} can be read by others: run `chmod 600 {path}`")
    return problems


def is_reachable_by_others(settings: Settings) -> bool:
    """Return whether the server listens beyond its own machine, or a proxy on the machine does so for it."""
    public = urlsplit(settings.base_url()).hostname or ""
    return not is_loopback_host(settings.host) or not is_loopback_host(public)


def looks_like_a_default(secret: str) -> bool:
    """Return whether a secret contains a word of an example value or has too few different characters."""
    text = secret.lower()
    return len(set(text)) < _MIN_DISTINCT_CHARACTERS or any(word in text for word in _DEFAULTS)
