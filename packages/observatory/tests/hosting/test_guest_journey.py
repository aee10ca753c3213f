"""A guest opens the front page in a browser: a game and a lesson, by keyboard at a desk and by touch on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Locator, Page, expect

from cogames.lesson_world.world import MANIFEST
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.hosting.conftest import Arcade
from packages.observatory.tests.hosting.test_browser import game_frame
from tests.accessibility import axe_findings, fitting_findings

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

DESK = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}
PHONE = {"viewport": {"width": 360, "height": 720}, "color_scheme": "dark", "has_touch": True, "is_mobile": True}


@pytest.fixture
def games(app: FastAPI, clock: Any, ada: Any, arcade: Arcade) -> None:
    manifest = game()
    manifest["variants"][0]["game_config"] |= {"lockstep": False, "max_ticks": 30, "tick_rate": 10}
    put_coworld(app, clock, ada, manifest=manifest)
    put_coworld(app, clock, ada, "lessons", manifest=json.loads(MANIFEST.read_text(encoding="utf-8")))
    app.state.settings.guest_games = ["paintarena", "lessons:moving"]
    app.state.settings.public_url = arcade.url


@pytest.fixture
def visit(browser: Browser, arcade: Arcade, games: None) -> Iterator[Any]:
    contexts, problems = [], []

    def visit(**shape: Any) -> Page:
        context = browser.new_context(reduced_motion="reduce", **shape)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{arcade.url}/observatory")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert problems == []


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
def test_a_guest_plays_a_game_and_asks_for_a_rematch(visit: Any, arcade: Arcade, token: str, shape: Any) -> None:
    page = visit(**shape)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    with arcade.working(token):
        press(page, page.get_by_role("button", name="Play in the browser"))
        page.wait_for_url(re.compile("/observatory/play/ps_"))
        first = page.url
        expect(page.get_by_role("button", name="Ready")).to_be_visible()
        assert axe_findings(page) == [] and fitting_findings(page) == []
        press(page, page.get_by_role("button", name="Ready"))
        frame = game_frame(page)
        expect(frame.locator("#status")).to_have_text("connected")
        down = frame.locator("[data-move=down]")
        if has_touch(page):
            box = down.bounding_box()
            assert box is not None and min(box["width"], box["height"]) >= 44
            down.tap()
        else:
            page.keyboard.press("ArrowDown")
        expect(down).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_text("The game is over.")).to_be_visible()
        press(page, page.get_by_role("button", name="Play again"))
        page.wait_for_url(lambda address: "/play/ps_" in address and address != first)
        expect(page.get_by_role("button", name="Ready")).to_be_visible()
        press(page, page.get_by_role("button", name="End the session"))
        expect(page.get_by_text("The guest ended the game")).to_be_visible()


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
def test_a_guest_begins_the_first_lesson(visit: Any, arcade: Arcade, token: str, shape: Any) -> None:
    page = visit(**shape)
    with arcade.working(token):
        press(page, page.get_by_role("button", name="Start the first lesson"))
        page.wait_for_url(re.compile("/observatory/play/ps_"))
        expect(page.get_by_role("button", name="Ready")).to_be_visible()
        assert fitting_findings(page) == []
        press(page, page.get_by_role("button", name="Ready"))
        frame = game_frame(page)
        expect(frame.locator("[data-testid=goal]")).to_contain_text("Walk to the mark")
        expect(frame.locator(".is-driving")).to_be_attached()  # before that, keys do not move the cog
        east = frame.locator("[data-action=move_east]")
        if has_touch(page):
            expect(frame.locator("[data-testid=pad]")).to_be_visible()
            box = east.bounding_box()
            assert box is not None and min(box["width"], box["height"]) >= 44
        for step in range(1, 4):
            if has_touch(page):
                east.tap()
            else:
                page.keyboard.press("ArrowRight")
            _until(page, lambda step=step: frame.evaluate("mettascope.app.lastTick") >= step)
        expect(frame.locator("[data-testid=goal]")).not_to_contain_text("Walk to the mark")
        assert axe_findings(frame) == []
        press(page, page.get_by_role("button", name="End the session"))
        expect(page.get_by_text("The guest ended the game")).to_be_visible()


def has_touch(page: Page) -> bool:
    return bool(page.evaluate("navigator.maxTouchPoints > 0"))


def press(page: Page, button: Locator) -> None:
    """Press a button as people do: with a finger on a phone, with the keyboard at a desk."""
    if has_touch(page):
        button.tap()
    else:
        button.focus()
        page.keyboard.press("Enter")


def _until(page: Page, condition: Any) -> None:
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("waited in vain")
