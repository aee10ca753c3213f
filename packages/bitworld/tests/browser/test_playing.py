"""A person plays Among Them in a browser: by keyboard, and by touch on a phone. Others play over sockets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from playwright.sync_api import CDPSession, Page

from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.map import Place
from bitworld.server import Match, RealTime
from packages.bitworld.tests.among_them.hall import HALL, A
from packages.bitworld.tests.browser.arena import Arena, arena

BUTTON = Place("button", 0, 0, 60, 120)
"""the left half of the hall, so that a person cannot walk past it"""
MARKUP = "<img src=x onerror=document.title='broken'>"
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
Open = Callable[..., Page]


class Hall:
    """A game in a hall with stations everywhere. Ann is the person; Bob and Cat are on sockets."""

    def __init__(self, running: Arena, match: Match) -> None:
        self.arena, self.match = running, match

    @property
    def game(self) -> AmongThem:
        assert isinstance(self.match.game, AmongThem)
        return self.match.game

    def player(self) -> tuple[int, int]:
        x, y = self.game.session.describe()["players"][0][:2]
        return x, y

    def tasks(self) -> int:
        return self.game.accounts()[0].counts.get("tasks", 0)

    def votes(self) -> list[int]:
        return list(self.game.session.describe()["votes"])

    def start(self, open_page: Open, **settings: Any) -> Page:
        """Open Ann's page, seat the others, and wait for the game."""
        page = open_page(f"{self.arena.address}/client/player.html?name=Ann", **settings)
        page.wait_for_selector("[data-testid=status][data-state=open]", state="attached")
        self.arena.until(lambda: len(self.game.seats) == 1)
        for name in ("Bob", "Cat"):
            self.arena.join(name)
        self.arena.until(lambda: self.game.phase == "playing")
        return page

    def finish_meeting(self) -> None:
        """Let the others vote as well."""
        for name in ("Bob", "Cat"):
            self.arena.hold(name, A)
        self.arena.until(lambda: self.game.phase == "playing")


@contextmanager
def hall() -> Iterator[Hall]:
    config = {
        "minPlayers": 3,
        "startWaitTicks": 0,
        "roleRevealTicks": 0,
        "taskCompleteTicks": 5,
        "tasksPerPlayer": 2,
        "voteTimerTicks": 100_000,
        "voteResultTicks": 2,
        "maxTicks": 0,
    }
    match = Match(lambda: AmongThem(config, game_map=replace(HALL, button=BUTTON)))
    with arena(match, RealTime(2)) as running:
        yield Hall(running, match)


def is_at_button(game: Hall) -> bool:
    return game.player()[0] < BUTTON.x + BUTTON.w


def hold(page: Page, game: Hall, key: str, condition: Callable[[], bool]) -> None:
    """Hold a key until the game has noticed: on a busy machine, several ticks may pass without new input."""
    game.arena.until(lambda: game.match.seated[0].mask == 0)
    page.keyboard.down(key)
    game.arena.until(condition)
    page.keyboard.up(key)


def test_a_person_plays_a_task_and_a_meeting_by_keyboard(open_page: Open) -> None:
    with hall() as game:
        page = game.start(open_page)
        assert not game.arena.ask(lambda: is_at_button(game))

        page.keyboard.down("z")
        game.arena.until(lambda: game.tasks() >= 1)
        page.keyboard.up("z")

        page.keyboard.down("ArrowLeft")
        game.arena.until(lambda: is_at_button(game))
        page.keyboard.up("ArrowLeft")
        hold(page, game, " ", lambda: game.game.phase == "voting")

        page.keyboard.press("t")
        page.keyboard.type(MARKUP)
        page.keyboard.press("Enter")
        game.arena.until(lambda: game.game.chat_lines == [(0, MARKUP)])
        hold(page, game, "d", lambda: game.game.session.describe()["cursor"][0] == 1)
        hold(page, game, "j", lambda: game.votes()[0] == 1)
        game.finish_meeting()
        assert page.title() == "Ann · Among Them"
        assert page.locator("img").count() == 0


def test_buttons_are_released_when_the_page_loses_the_keyboard(open_page: Open) -> None:
    with hall() as game:
        page = game.start(open_page)
        page.keyboard.down("ArrowLeft")
        game.arena.until(lambda: game.match.seated[0].mask == 4)
        page.evaluate("dispatchEvent(new Event('blur'))")
        game.arena.until(lambda: game.match.seated[0].mask == 0)


def test_a_person_plays_a_task_and_a_meeting_by_touch_on_a_phone(open_page: Open) -> None:
    with hall() as game:
        page = game.start(open_page, **PHONE)
        fingers = Fingers(page)

        fingers.down(a=fingers.place("[data-button=A]"))
        game.arena.until(lambda: game.tasks() >= 1)
        fingers.up()

        left = fingers.place("[data-testid=directions]", across=0.1)
        fingers.down(left=left, b=fingers.place("[data-button=B]"))
        game.arena.until(lambda: game.match.seated[0].mask == 0x44)  # two fingers at the same time
        fingers.up()
        fingers.down(left=left)
        game.arena.until(lambda: is_at_button(game))
        fingers.up()
        fingers.down(a=fingers.place("[data-button=A]"))
        game.arena.until(lambda: game.game.phase == "voting")
        fingers.up()

        page.locator("[data-testid=chat]").tap()
        page.keyboard.type("It was Bob")
        page.get_by_role("button", name="Send").tap()
        game.arena.until(lambda: game.game.chat_lines == [(0, "It was Bob")])
        fingers.down(left=fingers.place("[data-testid=directions]", across=0.9))
        game.arena.until(lambda: game.game.session.describe()["cursor"][0] == 1)
        fingers.up()
        fingers.down(a=fingers.place("[data-button=A]"))
        game.arena.until(lambda: game.votes()[0] == 1)
        fingers.up()
        game.finish_meeting()
        assert page.evaluate("[scrollX, scrollY, document.documentElement.scrollHeight <= innerHeight]") == [0, 0, True]


def test_the_picture_is_scaled_in_whole_device_pixels(open_page: Open) -> None:
    with hall() as game:
        page = game.start(open_page, **PHONE)
        for width, height in ((390, 844), (844, 390), (701, 513)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            size = page.evaluate("document.querySelector('.picture').getBoundingClientRect().width * devicePixelRatio")
            assert size % 128 == 0 and size >= 256


class Fingers:
    """Touches that stay down, which playwright's own touch screen cannot do."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session: CDPSession = page.context.new_cdp_session(page)

    def place(self, selector: str, *, across: float = 0.5, down: float = 0.5) -> tuple[float, float]:
        box = self._page.locator(selector).bounding_box()
        assert box is not None
        return box["x"] + box["width"] * across, box["y"] + box["height"] * down

    def down(self, **places: tuple[float, float]) -> None:
        """Put fingers on the screen, one after the other, and leave them there."""
        ids = {"a": 0, "b": 1, "left": 2}
        points = [{"x": x, "y": y, "id": ids[name]} for name, (x, y) in places.items()]
        for count in range(1, len(points) + 1):
            self._send("touchStart", points[:count])

    def up(self) -> None:
        self._send("touchEnd", [])

    def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
