"""Constants of a league server's API, and its guides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

__all__ = [
    "DEFAULT_OPTIMIZER_PORT",
    "DEFAULT_SUBMIT_SERVER",
    "NEXT_CURSOR_HEADER",
    "list_page_payload",
    "participation_guide_url",
]

DEFAULT_SUBMIT_SERVER = "http://127.0.0.1:8000/api"
"""the server on this machine; no other host is ever a default"""
NEXT_CURSOR_HEADER = "X-Next-Cursor"
DEFAULT_OPTIMIZER_PORT = 3000


def participation_guide_url(server: str, league_id: str) -> str:
    """Return the address of the guide that says how to enter a league."""
    return f"{server.rstrip('/')}/observatory/v2/participate?league_id={league_id}"


def list_page_payload(response: httpx.Response) -> tuple[list[Any], str | None]:
    """Return the rows of a list and the cursor of its next page."""
    return response.json(), response.headers.get(NEXT_CURSOR_HEADER)
