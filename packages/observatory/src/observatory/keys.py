"""The server's two keys: from the settings, or generated on the first start and stored in the data folder."""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from observatory.settings import Settings

__all__ = ["BadKey", "Keys", "load_keys"]

KEY_BYTES = 32
MIN_SECRET_KEY_CHARACTERS = 32
SECRET_KEY_FILE = "secret.key"
MASTER_KEY_FILE = "master.key"


class BadKey(ValueError):
    """A key that cannot be used; the message says which and how to make one."""


@dataclass(frozen=True)
class Keys:
    """Never printed."""

    secret: bytes = field(repr=False)
    """signs cookies and URLs"""
    master: bytes = field(repr=False)
    """encrypts the policies' secrets"""


def load_keys(settings: Settings) -> Keys:
    """Return the keys of the settings, else of the data folder, where they are created if missing."""
    if settings.secret_key is not None:
        secret = settings.secret_key.get_secret_value().encode()
        if len(secret) < MIN_SECRET_KEY_CHARACTERS:
            raise BadKey(f"OBSERVATORY_SECRET_KEY must have at least {MIN_SECRET_KEY_CHARACTERS} characters")
    else:
        secret = _read_or_make(settings.data_dir / SECRET_KEY_FILE)
    if settings.master_key is not None:
        master = _decode(settings.master_key.get_secret_value(), "OBSERVATORY_MASTER_KEY")
    else:
        master = _read_or_make(settings.data_dir / MASTER_KEY_FILE)
    return Keys(secret, master)


def _read_or_make(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _decode(path.read_text(), str(path))
    with os.fdopen(handle, "w") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return _decode(path.read_text(), str(path))


def _decode(text: str, where: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise BadKey(
            f"{where} must hold {KEY_BYTES} bytes in base64, as `openssl rand -base64 {KEY_BYTES}` prints them"
        )
    return key
