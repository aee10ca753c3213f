"""`coworld play` and `coworld replay` with a real browser."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import running


def links_of(lines: list[str]) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in lines if ": http" in line)


def test_a_slot_of_paint_arena_is_played_by_keyboard_while_others_watch_and_the_replay_is_shown(
    pages: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)  # no browser but that of the test
    out = tmp_path / "out"
    call = ["play", "paintarena", "--variant", "small", "--human", "0", "-o", out]
    with running(*call, until="Admin:") as (lines, process):
        links = links_of(lines)
        assert [*links] == ["Player 0", "Global", "Admin"]
        assert len(links["Admin"].partition("/client/admin?token=")[2]) == 32
        admin = pages(links["Admin"])
        player = pages(links["Player 0"])
        wait(player, lambda: "Sweep 1" in player.inner_text("#seats"))
        player.keyboard.press("ArrowRight")
        wait(player, lambda: tick(player) >= 2)
        admin.click("#pause")
        wait(admin, lambda: admin.get_attribute("#pause", "aria-pressed") == "true")
        late = pages(links["Global"])
        wait(late, lambda: tick(late) >= 2)
        seen = tick(late)
        assert "Sweep 1" in late.inner_text("#seats")
        player.keyboard.press("ArrowDown")
        admin.fill("#rate", "60")
        admin.press("#rate", "Enter")
        admin.click("#pause")
        wait(late, lambda: tick(late) > seen)
        wait(player, lambda: player.inner_text("#status") in ("you won", "you lost", "a draw"))
        assert process.stdout is not None
        rest = []
        while not rest or ": http" not in rest[-1]:  # it stays, and shows the replay
            rest.append(process.stdout.readline())
            assert rest[-1], rest
        assert any("Scores: 0=" in line for line in rest)
        after = pages(links_of(rest)["Replay"].strip())
        wait(after, lambda: tick(after) > 0)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    config = json.loads((out / "config.json").read_text())
    assert config["player_connect_timeout_seconds"] == 3600  # it waits for its people
    replay = json.loads((out / "replay").read_bytes())
    places = [frame["positions"][0] for frame in replay["frames"]]
    assert [1, 0] in places and places[-1][1] > 0, "the keys were not played"
    with running("replay", "paintarena", out / "replay.z", "--no-open-browser", until="Replay:") as (lines, process):
        shown = pages(links_of(lines)["Replay"])
        wait(shown, lambda: tick(shown) > 0)  # it plays by itself
        assert "Sweep 1" in shown.inner_text("#seats")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_an_interrupt_ends_a_game_and_everything_in_it(tmp_path: Path) -> None:
    call = ["play", "paintarena", "--variant", "small", "--human", "0", "--no-open-browser", "-o", tmp_path]
    with running(*call, until="Admin:") as (lines, process):
        page = links_of(lines)["Global"]
        with urllib.request.urlopen(page) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "Error: Interrupted" and "Traceback" not in errors
    assert json.loads((tmp_path / "error_info.json").read_text())["error_type"] == "node_disruption"
    try:
        urllib.request.urlopen(page, timeout=2).close()
    except OSError:
        return
    raise AssertionError("the game still runs")


def test_a_static_viewer_is_served_without_an_engine(pages: Callable[[str], Any], episode: Path) -> None:
    manifest = Path(os.path.dirname(manifest_path())) / "coworld_manifest_static_viewer.json"
    with running("replay", manifest, episode / "replay", "--no-open-browser", until="Replay:") as (lines, process):
        link = links_of(lines)["Replay"]
        assert "/index.html#replay=" in link
        with urllib.request.urlopen(link.partition("#")[0]) as answer:
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        shown = pages(link)
        wait(shown, lambda: tick(shown) > 0)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def tick(page: Any) -> int:
    """The tick that a page of Paint Arena shows."""
    words = page.inner_text("#time").replace("/", " ").split()
    numbers = [int(word) for word in words if word.isdecimal()]
    return numbers[0] if numbers else 0


def wait(page: Any, condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("waited for 30 s in vain")


def manifest_path() -> Path:
    from coworld.manifest.installed_worlds import manifest_of

    found = manifest_of("paintarena")
    assert found is not None
    return found
