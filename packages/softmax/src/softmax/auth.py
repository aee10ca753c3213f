"""Compatibility names for sessions: saved tokens of a login server, and the sign-in page.

No host is built in. `DEFAULT_COGAMES_SERVER` and `DEFAULT_COGAMES_API_SERVER` are the servers of the environment or of
`~/.metta/config.yaml`, else those of this machine, at the time they are imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softmax.token_storage import TokenKind, delete_token, load_token, save_token

if TYPE_CHECKING:
    from softmax.wire import WhoAmIResponse

    DEFAULT_COGAMES_SERVER: str
    DEFAULT_COGAMES_API_SERVER: str

__all__ = [
    "DEFAULT_COGAMES_API_SERVER",
    "DEFAULT_COGAMES_SERVER",
    "WhoAmIResponse",
    "build_browser_login_url",
    "delete_cogames_tokens",
    "delete_token",
    "fetch_cogames_whoami",
    "get_login_server",
    "has_saved_token",
    "load_cogames_user_token",
    "load_current_cogames_token",
    "load_token",
    "restore_cogames_user_session",
    "save_cogames_active_token",
    "save_cogames_user_token",
    "save_token",
]


def get_login_server() -> str:
    """Return the login server: `COGAMES_LOGIN_URL`, then the config file, then this machine's."""
    from softmax.client import resolve_addresses

    return resolve_addresses().login


def build_browser_login_url(login_server: str, *, callback_url: str | None = None) -> str:
    """Return the page to sign in at; with `callback_url` the page sends the token there."""
    from urllib.parse import quote

    from softmax.client.addresses import login_page

    page = login_page(login_server)
    return page if callback_url is None else f"{page}?callback={quote(callback_url, safe='')}"


def has_saved_token(*, token_kind: TokenKind, server: str) -> bool:
    """Return whether a token of this kind is saved for a server."""
    return load_token(token_kind=token_kind, server=server) is not None


def load_current_cogames_token(*, login_server: str) -> str | None:
    """Return the token of the active session: a player's, else the user's own."""
    from softmax.client.credentials import current_token

    return current_token(login_server)


def load_cogames_user_token(*, login_server: str) -> str | None:
    """Return the user's own token, even while a player's session is active."""
    return load_token(token_kind=TokenKind.COGAMES_USER, server=login_server)


def save_cogames_user_token(*, login_server: str, token: str) -> None:
    """Save the user's own token and make it the active one."""
    from softmax.client.credentials import save_user_token

    save_user_token(login_server, token)


def save_cogames_active_token(*, login_server: str, token: str) -> None:
    """Make a token the active one; the user's own token stays saved."""
    save_token(token_kind=TokenKind.COGAMES, server=login_server, token=token)


def restore_cogames_user_session(*, login_server: str) -> str | None:
    """End a player's session and return the user's own token; None when none is saved."""
    from softmax.client.credentials import restore_user_session

    return restore_user_session(login_server)


def delete_cogames_tokens(*, login_server: str) -> bool:
    """Delete the active and the user's own token; return whether there was one."""
    from softmax.client.credentials import delete_tokens

    return delete_tokens(login_server)


def fetch_cogames_whoami(*, api_server: str | None = None, token: str) -> WhoAmIResponse:
    """Ask a server whose token this is; raise `softmax.client.ClientError` when it refuses."""
    from softmax.client import fetch_whoami, resolve_addresses

    return fetch_whoami(api_server or resolve_addresses().api, token)


def __getattr__(name: str) -> Any:
    if name == "DEFAULT_COGAMES_SERVER":
        return get_login_server()
    if name == "DEFAULT_COGAMES_API_SERVER":
        from softmax.client import resolve_addresses

        return resolve_addresses().api
    if name == "WhoAmIResponse":
        from softmax.wire import WhoAmIResponse

        return WhoAmIResponse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
