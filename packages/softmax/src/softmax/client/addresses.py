"""Which servers to talk to.

Each address comes from the option, then the environment, then `~/.metta/config.yaml`, then from the other address when
that one was given, and at last is the server on this machine. No other host is ever a default: a token or a bundle goes
to a host that the user named.

`~/.metta/config.yaml`, all keys optional:

    api_url: https://league.example.org
    login_url: https://league.example.org/api
    upload_hosts: [files.example.org]     hosts a server may want bundles at, beside itself
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from softmax.client.errors import BadAddress, BadCredentials

__all__ = [
    "API_VARIABLE",
    "LOGIN_VARIABLE",
    "Addresses",
    "allowed_upload_hosts",
    "config_file",
    "home_page",
    "host_of",
    "login_page",
    "read_yaml",
    "resolve_addresses",
    "saved_login",
]

LOCAL_SERVER = "http://127.0.0.1:8000"
API_VARIABLE, LOGIN_VARIABLE = "COGAMES_API_URL", "COGAMES_LOGIN_URL"


@dataclass(frozen=True)
class Addresses:
    """`api` serves seasons and policies, `login` says who someone is; tokens are kept by the exact text of `login`."""

    api: str
    login: str


def resolve_addresses(server: str | None = None, login_server: str | None = None) -> Addresses:
    """The addresses a command uses; `server` and `login_server` are what was given as options."""
    config = read_yaml(config_file())
    api = server or os.environ.get(API_VARIABLE) or config.get("api_url")
    login = login_server or os.environ.get(LOGIN_VARIABLE) or config.get("login_url")
    if api is None and login is None:
        api = LOCAL_SERVER
    api = _checked(api if api is not None else _without_api(str(login))).rstrip("/")
    return Addresses(api, _checked(login) if login is not None else saved_login(f"{api}/api"))


def login_page(login: str) -> str:
    """Where a browser signs in to a login server."""
    return f"{_without_api(_checked(login))}/cli-login"


def home_page(login: str) -> str:
    """The page of one's own policies: on the login server's host, without a leading `api.`."""
    parts = urlsplit(_checked(login))
    return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}/observatory/home"


def host_of(address: str) -> str:
    """The host alone, for messages."""
    return urlsplit(address).hostname or address


def allowed_upload_hosts() -> list[str]:
    """Hosts, beside the server's own, that the user lets have bundles."""
    hosts = read_yaml(config_file()).get("upload_hosts")
    return [str(host) for host in hosts] if isinstance(hosts, list) else []


def config_file() -> Path:
    return Path.home() / ".metta" / "config.yaml"


def read_yaml(path: Path) -> dict[str, Any]:
    """A mapping in a YAML file; empty when there is no file."""
    import yaml

    try:
        text = path.read_text()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadCredentials(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError:
        raise BadCredentials(f"{path} is not YAML; mend it or remove it") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadCredentials(f"{path} should hold a mapping; mend it or remove it")
    return data


def saved_login(login: str) -> str:
    """The spelling of a login server under which a token is saved, with `/api` at its end or without."""
    from softmax.client.credentials import current_token

    login = _checked(login)
    base = _without_api(login)
    return next((one for one in (login, f"{base}/api", base) if current_token(one) is not None), login)


def _without_api(login: str) -> str:
    return login.rstrip("/").removesuffix("/api")


def _checked(address: object) -> str:
    """An http(s) address, as it was given: a token is found by exactly that text."""
    text = str(address)
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known or not text.isprintable() or " " in text or parts.query or parts.fragment or "@" in parts.netloc:
        raise BadAddress(f"{address!r} is no server; give an address such as {LOCAL_SERVER}")
    return text
