"""Pages of reports as they are displayed: sanitized when they are safe, as text when they are not."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import nh3
import pytest

from coworld.roles.shown_page import sanitized_page, shown_page
from packages.coworld.tests.roles.test_reports import SAFE, UNSAFE

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize("html", UNSAFE)
def test_an_unsafe_page_is_text(html: str) -> None:
    page, violations = shown_page(html)
    assert violations and f"<pre>{escape(html)}</pre>" in page


@pytest.mark.parametrize("html", SAFE)
def test_a_safe_page_is_displayed(html: str) -> None:
    page, violations = shown_page(html)
    assert not violations
    visible = nh3.clean(html, tags=set())
    assert nh3.clean(page.partition("<body>")[2], tags=set()).strip() == visible.strip()


@pytest.mark.parametrize(
    "html",
    [
        "<script>1</script>",
        "<p onclick='x'>x</p>",
        "<a href='javascript:x'>x</a>",
        "<iframe src='data:text/html,x'></iframe>",
        "<form action='https://example.org'><input></form>",
        "<svg><script>1</script><a xlink:href='javascript:x'>x</a></svg>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=x&gt;'>",
        "<svg></p><style><a id='</style><img src=x onerror=x>'>",
        "<base href='https://example.org/'><meta http-equiv='refresh' content='0'>",
    ],
)
def test_the_second_wall_holds_without_the_first(html: str) -> None:
    body = sanitized_page(html).partition("<body>")[2].lower()
    for word in ("<script", "onclick=", "javascript:", "<iframe", "<form", "<input", "<base", "<meta", " onerror=x>"):
        assert word not in body


SCRIPTS = """<script>document.title = "ran"</script><img src=x onerror="document.title = 'ran'">
<svg onload="document.title = 'ran'"></svg><a href="javascript:document.title='ran'">x</a>"""


def test_a_browser_runs_nothing(browser: Browser) -> None:
    page = browser.new_page()
    for document in (
        shown_page(SCRIPTS)[0],
        sanitized_page(SCRIPTS),
        sanitized_page("").replace("<body>", f"<body>{SCRIPTS}"),
    ):
        page.set_content(document)
        for link in page.locator("a").all():
            link.click()
        assert page.title() == "Report"
    page.close()
