"""Sign in to a league server from Python."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softmax import cogames
    from softmax.auth import load_cogames_user_token, save_cogames_active_token
    from softmax.perform_login import do_interactive_login_for_token
    from softmax.token_storage import TokenKind

    DEFAULT_COGAMES_SERVER: str

__all__ = [
    "DEFAULT_COGAMES_SERVER",
    "TokenKind",
    "cogames",
    "do_interactive_login_for_token",
    "load_cogames_user_token",
    "login",
    "save_cogames_active_token",
]

_MODULES = {
    "TokenKind": "softmax.token_storage",
    "do_interactive_login_for_token": "softmax.perform_login",
    "load_cogames_user_token": "softmax.auth",
    "save_cogames_active_token": "softmax.auth",
}

AGENT_HINT = (
    "Automated programs: ask your user to open the page and give you the token, then run: softmax set-token '<TOKEN>'"
)


def login(*, login_server: str | None = None, force: bool = False, open_browser: bool = True) -> str:
    """Return the user's token and make the user's session the active one.

    Use the saved token unless the server rejects it or `force` is set; otherwise the user signs in with a browser. That
    needs a terminal: without one, `login` raises `RuntimeError`. Without `login_server`, use the login server of the
    environment, then of the config file, then the one on this machine.
    """
    from softmax.auth import restore_cogames_user_session
    from softmax.client import resolve_addresses
    from softmax.perform_login import do_interactive_login_for_token
    from softmax.token_storage import TokenKind

    address = resolve_addresses(None, login_server).login
    if force or not _has_usable_token(address):
        if not sys.stdin.isatty():
            raise RuntimeError(
                f"No token is saved for {address}, and interactive login requires a TTY; "
                "run `softmax set-token TOKEN` first"
            )
        do_interactive_login_for_token(
            login_server=address,
            server_to_save_token_under=address,
            token_kind=TokenKind.COGAMES_USER,
            agent_hint=AGENT_HINT,
            open_browser=open_browser,
        )
    token = restore_cogames_user_session(login_server=address)
    assert token is not None, "a token was found or saved above"
    return token


def _has_usable_token(address: str) -> bool:
    """Return whether a token is saved and the server does not reject it; a token that cannot be checked is usable."""
    from softmax.auth import load_cogames_user_token
    from softmax.client import ClientError, TokenRejected, fetch_whoami

    token = load_cogames_user_token(login_server=address)
    if token is None:
        return False
    try:
        fetch_whoami(address, token)
    except TokenRejected:
        return False
    except ClientError:
        return True
    return True


def __getattr__(name: str) -> Any:
    """Import a published name when it is first used: programs that only use the command frame do not need them."""
    if name == "DEFAULT_COGAMES_SERVER":
        from softmax.auth import get_login_server

        return get_login_server()
    if name == "cogames":
        return importlib.import_module("softmax.cogames")
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
