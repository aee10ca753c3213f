"""Compatibility name for signing in with a browser and saving the token under a kind."""

from __future__ import annotations

import sys

from softmax.token_storage import TokenKind, save_token

__all__ = ["do_interactive_login_for_token"]


def do_interactive_login_for_token(
    *,
    login_server: str,
    server_to_save_token_under: str,
    token_kind: TokenKind,
    agent_hint: str | None,
    open_browser: bool,
) -> None:
    """Sign in with a browser or a pasted token, and save the token; needs a terminal.

    `agent_hint` is printed below the address of the page, for programs that read the output.
    """
    if not sys.stdin.isatty():
        raise AssertionError("do_interactive_login_for_token can only be called when stdin is a TTY")
    from softmax.client.sign_in import read_pasted_token, sign_in

    def show(page: str) -> None:
        import webbrowser

        print(f"Open this URL in any browser to sign in:\n\n    {page}\n")
        if agent_hint is not None:
            print(f"{agent_hint}\n")
        if open_browser:
            webbrowser.open(page)

    token = sign_in(login_server, show=show, paste=read_pasted_token, say=print)
    save_token(token_kind=token_kind, server=server_to_save_token_under, token=token)
