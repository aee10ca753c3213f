"""Signing in to a server of the league from Python."""

from __future__ import annotations

__all__ = ["login"]


def login(*, login_server: str | None = None, force: bool = False, open_browser: bool = True) -> str:
    """The user's token: the saved one when it works, else one from a sign-in with the browser, which is saved.

    Without `login_server` the addresses of the environment and of the config file count, then this machine.
    """
    from cogames.client import ClientError, TokenRejected, fetch_whoami, resolve_addresses
    from cogames.client.credentials import save_user_token, user_token
    from cogames.client.sign_in import sign_in

    address = resolve_addresses(None, login_server).login
    saved = None if force else user_token(address)
    if saved is not None:
        try:
            fetch_whoami(address, saved)
            return saved
        except TokenRejected:
            pass
        except ClientError:  # it cannot be checked now
            return saved

    def show(page: str) -> None:
        import webbrowser

        print(f"Open this page to sign in: {page}")
        if open_browser:
            webbrowser.open(page)

    token = sign_in(address, show=show)
    save_user_token(address, token)
    return token
