"""Pages that nothing may go wrong in, and a league for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from packages.observatory.tests.rounds.conftest import yard

__all__ = ["open_page", "yard"]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """open_page(address, **context) opens a page; at the end nothing may have gone wrong in any."""
    contexts, problems = [], []

    def open_page(address: str, *, state: Any = None, **settings: Any) -> Page:
        shape = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
        context = browser.new_context(storage_state=state, **shape)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    open_page.problems = problems  # type: ignore[attr-defined]
    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
