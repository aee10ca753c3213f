"""A browser without a graphics card, for benchmarks of pages."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

FLAGS = (
    "--no-sandbox --disable-gpu --enable-unsafe-swiftshader --disable-background-networking --disable-sync "
    "--no-first-run"
)


@contextmanager
def measured_page(*, first: bool) -> Iterator[Page]:
    """Open a page of 1280x800. With `first` it takes cores from all other work (Linux, as root)."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("No Chromium is installed (Debian: chromium)")
    if first:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS.split())
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(120_000)
        yield page
        browser.close()
