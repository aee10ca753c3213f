"""A real browser for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TIMEOUT_MS = 120_000
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")  # its event loop is in the way of tests elsewhere that have their own
def browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        missing("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        for name in ("new_context", "new_page"):
            setattr(browser, name, _patient(getattr(browser, name)))
        yield browser
        browser.close()


def _patient(create: Callable[..., Any]) -> Callable[..., Any]:
    """Raise the default timeout of new contexts and pages: on a busy machine, a page may take a minute."""

    def patient(**settings: Any) -> Any:
        created = create(**settings)
        created.set_default_timeout(TIMEOUT_MS)
        return created

    return patient


@dataclass
class Visit:
    """A page in the browser, and what went wrong in it."""

    page: Page
    errors: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("[data-testid=hud] .hud-chip, [data-testid=error]", state="attached")
        self.painted()

    def painted(self) -> None:
        """Wait until the page is drawn; Chromium drops key presses that arrive before."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def panel(self, name: str) -> None:
        self.page.click(f"[data-panel={name}]")
        self.page.wait_for_selector(f"[data-panel={name}][aria-pressed=true]")

    def seek(self, tick: int) -> None:
        self.page.fill("[data-testid=tick]", str(tick))
        self.page.press("[data-testid=tick]", "Enter")
        self.page.evaluate("document.activeElement.blur()")

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something in the page; its policy forbids the usual way, which makes code from text."""
        for _ in range(600):
            if condition():
                return
            self.page.wait_for_timeout(50)
        pytest.fail("waited for 30 s in vain")

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Any]]:
    """visit(address, **context) opens a page; at the end of the test nothing may have gone wrong in any."""
    with visiting(browser) as go:
        yield go


@contextmanager
def visiting(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Pages in contexts of their own; at the end nothing may have gone wrong in any of them."""
    contexts = []
    visits: list[Visit] = []

    def go(address: str, **settings: Any) -> Visit:
        shape = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
        context = browser.new_context(**shape)
        contexts.append(context)
        visit = Visit(context.new_page())
        visits.append(visit)
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("console", lambda message: visit.errors.append(message.text) if message.type == "error" else None)
        visit.open(address)
        return visit

    yield go
    for context in contexts:
        context.close()
    assert [visit.errors for visit in visits if visit.errors] == []
