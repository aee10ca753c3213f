"""Read the package sources of this machine from `pip config`, with the credentials separated."""

from __future__ import annotations

import ast
import base64
import functools
import netrc
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

__all__ = ["PackageIndex", "PackageSource", "package_index"]

PUBLIC_INDEX = "https://pypi.org/simple"
_PLACES = ("index-url", "extra-index-url", "find-links")
# Passed to pip in the box. Settings of the connection to the index stay outside, because the proxy connects.
_PASSED_ON = ("no-index", "default-timeout", "timeout", "retries")
_SETTINGS = (*_PLACES, *_PASSED_ON, "trusted-host", "cert")


@dataclass(frozen=True)
class PackageSource:
    """An index, or a page of links, that is accessed over HTTP."""

    url: str
    """without credentials and without a trailing slash"""
    is_index: bool
    """False for a page of links (`find-links`)"""
    authorization: str | None = field(default=None, repr=False)
    """value of the header; None for an index without credentials"""

    @classmethod
    def from_url(cls, url: str, *, is_index: bool) -> PackageSource:
        """Take the credentials from the URL, or from the netrc file if the URL has none."""
        parts = urlsplit(url)
        user, password = parts.username, parts.password
        place = parts.netloc.rpartition("@")[2]
        if user is None:
            user, password = _netrc_login(parts.hostname or "")
        else:
            user, password = unquote(user), unquote(password or "")
        header = None
        if user is not None:
            header = "Basic " + base64.b64encode(f"{user}:{password or ''}".encode()).decode()
        return cls(urlunsplit((parts.scheme, place, parts.path, parts.query, "")).rstrip("/"), is_index, header)


class PackageIndex:
    """Sources of packages: those behind HTTP, folders of this machine, and the settings of pip in a box."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self.sources: list[PackageSource] = []
        self.folders: list[Path] = []
        self.trusted_hosts = frozenset(settings.get("trusted-host", "").split())
        self.cert = settings.get("cert")
        self._passed_on = {name: settings[name] for name in _PASSED_ON if name in settings}
        self._places: dict[str, list[str | int]] = {}
        """by setting: the path of a folder, or the number of a source"""
        for name in _PLACES:
            default = PUBLIC_INDEX if name == "index-url" and "no-index" not in settings else ""
            places = [self._add(place, name) for place in settings.get(name, default).split()]
            self._places[name] = [place for place in places if place is not None]

    def _add(self, place: str, setting: str) -> str | int | None:
        """Return the box's view of a place; None if it cannot be used there, since it may contain credentials."""
        parts = urlsplit(place)
        if parts.scheme in ("http", "https"):
            self.sources.append(PackageSource.from_url(place, is_index=setting != "find-links"))
            return len(self.sources) - 1
        folder = Path(unquote(parts.path) if parts.scheme == "file" else place).absolute()
        if not folder.is_dir():
            return None
        self.folders.append(folder)
        return str(folder) if setting == "find-links" else folder.as_uri()

    def variables(self, base: str) -> dict[str, str]:
        """Return the environment variables of pip in a box whose proxy is at `base`: source number 2 is `base/2`."""
        settings = dict(self._passed_on)
        for name, places in self._places.items():
            # An empty value also overrides configuration files.
            settings[name] = " ".join(place if isinstance(place, str) else f"{base}/{place}/" for place in places)
        variables = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings.items()}
        if not variables["PIP_INDEX_URL"]:
            del variables["PIP_INDEX_URL"]
            variables.setdefault("PIP_NO_INDEX", "1")
        return variables | {"PIP_CONFIG_FILE": os.devnull}


@functools.cache
def package_index() -> PackageIndex:
    """Read the configuration of pip on this machine, which includes the variables PIP_*."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    settings: dict[str, str] = {}
    for line in answer.stdout.splitlines():
        key, _, value = line.partition("=")
        name = key.rpartition(".")[2]
        if name in _SETTINGS:
            settings.setdefault(name, _text(value))
    return PackageIndex(settings)


def _text(value: str) -> str:
    """Parse a value as `pip config list` prints it, which is a Python literal."""
    try:
        return str(ast.literal_eval(value))
    except (SyntaxError, ValueError):
        return value.strip("'\"")


def _netrc_login(host: str) -> tuple[str | None, str | None]:
    path = os.environ.get("NETRC") or os.path.expanduser("~/.netrc")
    try:
        login = netrc.netrc(path).authenticators(host)
    except (OSError, netrc.NetrcParseError):
        return None, None
    return (None, None) if login is None else (login[0], login[2])
