"""Sign-in with GitHub, or with any server that implements its OAuth: two URLs, a client id and a secret."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

import httpx

__all__ = ["GitHub", "GitHubError", "GitHubUser"]

_SECONDS = 10


class GitHubError(Exception):
    """GitHub did not identify the user; the page shows the message."""


@dataclass(frozen=True)
class GitHubUser:
    id: int
    login: str
    name: str | None
    email: str | None


@dataclass(frozen=True)
class GitHub:
    """The steps of the OAuth flow: redirect the browser, exchange the code it returns with, fetch the user."""

    client_id: str
    client_secret: str
    base_url: str = "https://github.com"
    api_url: str = "https://api.github.com"

    def sign_in_url(self, *, redirect_uri: str, state: str) -> str:
        query = {
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "scope": "read:user",
        }
        return f"{self.base_url.rstrip('/')}/login/oauth/authorize?{urlencode(query)}"

    def user(self, code: str, *, redirect_uri: str) -> GitHubUser:
        """Return the user that a code identifies."""
        with httpx.Client(timeout=_SECONDS, headers={"Accept": "application/json"}) as client:
            try:
                token = self._token(client, code, redirect_uri)
                response = client.get(f"{self.api_url.rstrip('/')}/user", headers={"Authorization": f"Bearer {token}"})
                response.raise_for_status()
                profile = response.json()
                return GitHubUser(int(profile["id"]), str(profile["login"]), profile.get("name"), profile.get("email"))
            except (httpx.HTTPError, KeyError, ValueError, TypeError):
                raise GitHubError("GitHub did not confirm this sign-in; start again") from None

    def _token(self, client: httpx.Client, code: str, redirect_uri: str) -> str:
        form = {
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "code": code,
            "redirect_uri": redirect_uri,
        }
        response = client.post(f"{self.base_url.rstrip('/')}/login/oauth/access_token", data=form)
        response.raise_for_status()
        return str(response.json()["access_token"])
