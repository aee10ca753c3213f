"""Lessons as people play them: through the sockets of the page, and in a real terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.support import require_tool

COMMAND = [sys.executable, "-m", "cogames", "tutorial"]
NEXT_GAME = 1012
PATIENCE = 60.0


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "XDG_STATE_HOME": str(tmp_path)}


class Page:
    """What the page does, over its sockets: watches the lesson, and sends its cog to cells."""

    def __init__(self, address: str) -> None:
        server, token = re.fullmatch(r"http(://[^/]+)/\?live=1#token=(.+)", address).groups()  # type: ignore[union-attr]
        self._sockets = {path: f"ws{server}/{path}?token={token}" for path in ("global", "player", "admin")}
        self.lesson: dict[str, Any] = {}

    def __enter__(self) -> Page:
        with ExitStack() as opened:
            self._watch, self._drive = (
                opened.enter_context(connect(self._sockets[path], max_queue=None, max_size=None))
                for path in ("global", "player")
            )
            self._opened = opened.pop_all()
        self._tell(self._drive, type="takeover")
        self.admin(type="speed", steps_per_second=200)
        self.admin(type="resume")
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def admin(self, **message: object) -> None:
        with connect(self._sockets["admin"]) as admin:
            self._tell(admin, **message)
            assert json.loads(admin.recv(PATIENCE))["type"] == "ok"

    def go(self, x: int, y: int) -> None:
        self._tell(self._drive, type="order", x=x, y=y, mode="go")

    def press(self, action: str) -> None:
        self._tell(self._drive, type="action", action_name=action)

    def until(self, is_there: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first lesson message that is wanted."""
        while True:
            message = self._watch.recv(PATIENCE)
            if isinstance(message, str) and json.loads(message)["type"] == "lesson":
                self.lesson = json.loads(message)
                if is_there(self.lesson):
                    return self.lesson

    def until_next_game(self) -> None:
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                self._watch.recv(PATIENCE)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == NEXT_GAME

    def _tell(self, socket: ClientConnection, **message: object) -> None:
        socket.send(json.dumps(message))


def test_two_lessons_in_a_row_are_played_over_the_sockets_of_one_page(environment: dict[str, str]) -> None:
    words = [*COMMAND, "play", "-r", "gui"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stderr is not None
            address = next(line for line in process.stderr if line.startswith("http")).strip()
            with Page(address) as page:
                for goal in (1, 2, 3):
                    shown = page.until(lambda message, goal=goal: message["goal"]["number"] == goal)
                    page.go(*shown["highlight"]["cells"][0])
                assert page.until(lambda message: message["finished"])["lesson"]["name"] == "moving"
                page.until_next_game()
            with Page(address) as page:
                page.until(lambda message: message["lesson"]["name"] == "objects")
                for _ in range(2):
                    page.press("move_west")
                page.until(lambda message: message["goal"]["number"] == 2)
                page.admin(type="end")
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert "You left the lesson 'Using things'" in out
    listed = subprocess.run([*COMMAND, "play", "--list"], env=environment, capture_output=True, text=True, check=True)
    assert re.search(r"1 +moving +Moving +yes", listed.stdout)
    assert re.search(r"2 +objects +Using things *$", listed.stdout, re.MULTILINE)


class Terminal:
    """A terminal of 80x24 with a program in it."""

    def __init__(self, folder: Path, command: str) -> None:
        self._tmux = [require_tool("tmux"), "-S", str(folder / "tmux")]
        self._run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command)

    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def until(self, text: str) -> str:
        """Return the screen, when a text is on it."""
        deadline = time.monotonic() + PATIENCE
        while text not in (screen := self.screen()):
            assert time.monotonic() < deadline, f"{text!r} has not come:\n{screen}"
            time.sleep(0.05)
        return screen

    def close(self) -> None:
        self._run("kill-server")

    def _run(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    command = f"env XDG_STATE_HOME={tmp_path} TERM=screen-256color {' '.join(COMMAND)} play -r unicode; sleep 600"
    opened = Terminal(tmp_path, command)
    yield opened
    opened.close()


def test_a_lesson_is_played_with_the_keys_of_a_small_terminal(terminal: Terminal, tmp_path: Path) -> None:
    terminal.until("Press Enter to begin")
    terminal.press("Enter")
    terminal.until("1/3 Walk to the mark")
    terminal.press(*"ddd")
    terminal.until("Done: Walk to the mark.")
    terminal.press(*"dddddddw")
    terminal.until("Done: Go through the gap.")
    terminal.press(*"saaaaaaaass")
    terminal.until("Press enter to continue")
    terminal.press("Enter")
    terminal.until("Lesson 2/6 Using things")
    terminal.press("q")
    terminal.until("You left the lesson 'Using things'")
    assert json.loads((tmp_path / "cogames" / "lessons.json").read_text()) == {"play": ["moving"]}
