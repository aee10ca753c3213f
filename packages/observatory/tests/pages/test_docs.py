"""`/docs`: all of it comes from this server, under the policy of the other pages."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from tests.browser import browser

__all__ = ["browser"]

pytestmark = pytest.mark.any_database


def test_the_documentation_loads_nothing_from_elsewhere(server: Any) -> None:
    with httpx.Client(base_url=server.url, trust_env=False) as http:
        page = http.get("/docs")
        assert page.status_code == 200
        assert page.headers["content-security-policy"] == http.get("/observatory").headers["content-security-policy"]
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "://" not in page.text and "<script>" not in page.text
        addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert len(addresses) == 4 and all(http.get(address).status_code == 200 for address in addresses)
        for path in ("/redoc", "/docs/oauth2-redirect"):
            assert http.get(path).status_code == 404


def test_the_documentation_works_in_a_browser(server: Any, browser: Any) -> None:
    page = browser.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url))
    page.goto(f"{server.url}/docs?")
    page.wait_for_selector("#operations-accounts-accounts_whoami")
    # Of many operations the page draws those in view; a link to one opens it.
    page.goto(f"{server.url}/docs#/operations/operations_healthz")
    page.click("#operations-operations-operations_healthz .try-out button")
    page.click("#operations-operations-operations_healthz button.execute")
    page.wait_for_selector("#operations-operations-operations_healthz .live-responses-table .response-col_status")
    assert "200" in page.inner_text("#operations-operations-operations_healthz .live-responses-table")
    page.close()
    # Swagger UI takes every `_` in a link for an old way to write a space, and says so.
    assert [problem for problem in problems if not problem.startswith("Deprecated: escaping deep link")] == []
    assert [url for url in elsewhere if not url.startswith((server.url, "data:"))] == []
