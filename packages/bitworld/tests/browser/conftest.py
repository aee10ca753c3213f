"""Pages in which nothing may go wrong."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

TIMEOUT_MS = 120_000
"""on a busy machine, a page may take a minute"""


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """open_page(address, **context) opens a page; at the end no page may have logged an error."""
    contexts, problems = [], []

    def open_page(address: str, **settings: Any) -> Page:
        shape = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
        context = browser.new_context(**shape)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
