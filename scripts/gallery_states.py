"""States of the league's pages for the gallery: empty, loading, failing and signed out."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, Route

DATA = "**/observatory/api/seasons/**"
"""the requests that fill the page of a season"""
FAILURE = '{"detail": "The database does not answer. Try again in a minute."}'


@dataclass(frozen=True)
class State:
    """A page in a state: its address, the text that shows the state, and how to bring it about."""

    address: str
    shown: str
    prepare: Callable[[Page], None] = lambda page: None
    is_signed_in: bool = True


def _hold(page: Page) -> None:
    """Leave the requests for data without a response."""

    def hold(route: Route) -> None:
        del route

    page.route(DATA, hold)


def _refuse(page: Page) -> None:
    """Answer the requests for data as a server without its database does."""
    page.route(DATA, lambda route: route.fulfill(status=503, content_type="application/json", body=FAILURE))


STATES = {
    "empty-leaderboard": State("/observatory/seasons/beta-teams-large", "main .empty"),
    "empty-matches": State("/observatory/seasons/beta-teams-large/matches", "main .empty"),
    "empty-search": State("/observatory/search?q=zebra", "main .empty"),
    "loading": State("/observatory/seasons/demo", "main .loading", _hold),
    "error": State("/observatory/seasons/demo", "main .problem", _refuse),
    "missing": State("/observatory/nothing/here", "main h1"),
    "guest": State("/observatory", "main h1", is_signed_in=False),
    "upload-signed-out": State("/observatory/upload", "main h1", is_signed_in=False),
}
