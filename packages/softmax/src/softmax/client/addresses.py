"""Resolve the addresses of the API server and the login server.

Each address comes from the option, then the environment, then the server that `cogames auth switch` chose, then
`~/.metta/config.yaml`, then from the other address if that one is set. The fallback is the server on this machine. No
other host is ever a default: tokens and bundles go only to hosts that the user named. An option may also be a name of
`softmax.client.servers`.

`~/.metta/config.yaml`, all keys optional:

    api_url: https://league.example.org
    login_url: https://league.example.org/api
    upload_hosts: [files.example.org]     hosts other than the server that may receive bundles
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
    "check_address",
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
    """The API server, and the login server that issues tokens. Tokens are saved under the exact text of `login`."""

    api: str
    login: str


def resolve_addresses(server: str | None = None, login_server: str | None = None) -> Addresses:
    """Return the addresses a command uses; `server` and `login_server` are the values of its options."""
    from softmax.client.servers import current_server, find_server

    named = find_server(server)
    named_login = find_server(login_server)
    if named_login is not None:
        login_server = named_login.login or f"{named_login.api}/api"
    if named is not None:
        return Addresses(named.api, _checked(login_server or named.login or saved_login(f"{named.api}/api")))
    chosen = current_server()
    config: dict[str, Any] = read_yaml(config_file()) if chosen is None else {"api_url": chosen.api}
    api = server or os.environ.get(API_VARIABLE) or config.get("api_url")
    if chosen is not None and api == chosen.api:  # its tokens are not for other servers
        config["login_url"] = chosen.login
    login = login_server or os.environ.get(LOGIN_VARIABLE) or config.get("login_url")
    if api is None and login is None:
        api = LOCAL_SERVER
    api = _checked(api if api is not None else _without_api(str(login))).rstrip("/")
    return Addresses(api, _checked(login) if login is not None else saved_login(f"{api}/api"))


def login_page(login: str) -> str:
    """Return the URL of a login server's sign-in page."""
    return f"{_without_api(_checked(login))}/cli-login"


def home_page(login: str) -> str:
    """Return the URL of the user's own policies: on the login server's host, without a leading `api.`."""
    parts = urlsplit(_checked(login))
    return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}/observatory/home"


def host_of(address: str) -> str:
    """Return the host name of an address, for messages."""
    return urlsplit(address).hostname or address


def allowed_upload_hosts() -> list[str]:
    """Return the hosts, other than the server's own, to which the user allows uploads of bundles."""
    hosts = read_yaml(config_file()).get("upload_hosts")
    return [str(host) for host in hosts] if isinstance(hosts, list) else []


def config_file() -> Path:
    return Path.home() / ".metta" / "config.yaml"


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a mapping from a YAML file; return an empty one when the file does not exist."""
    import yaml

    try:
        text = path.read_text()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        raise BadCredentials(f"{path} cannot be read: {reason}") from None
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError:
        raise BadCredentials(f"{path} is not valid YAML; correct it or remove it") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadCredentials(f"{path} must contain a YAML mapping; correct it or remove it")
    return data


def saved_login(login: str) -> str:
    """Return the spelling of a login server, with or without `/api` at the end, under which a token is saved."""
    from softmax.client.credentials import current_token

    login = _checked(login)
    base = _without_api(login)
    spellings = (login, f"{base}/api", base)
    return next((spelling for spelling in spellings if current_token(spelling) is not None), login)


def _without_api(login: str) -> str:
    return login.rstrip("/").removesuffix("/api")


def _checked(address: object) -> str:
    """Return an http(s) address unchanged, because tokens are looked up by its exact text; raise for anything else."""
    text = str(address)
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or not text.isprintable() or " " in text or parts.query or parts.fragment or "@" in parts.netloc:
        raise BadAddress(f"{address!r} is not a server address; use one such as {LOCAL_SERVER}")
    return text


def check_address(address: str) -> str:
    """Return an address without a slash at its end; raise `BadAddress` for a text that is not one."""
    return _checked(address).rstrip("/")
