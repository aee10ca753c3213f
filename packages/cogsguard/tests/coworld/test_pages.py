"""The viewer as the pages of the Coworld, in a real browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.exceptions import ConnectionClosed

from mettagrid.replay import frame_at, load_replay

KEYS = ["ArrowRight", "ArrowDown", "a", "w", "ArrowRight", "s"]
ACTIONS = ["move_east", "move_south", "move_west", "move_north", "move_east", "move_south"]


def answers(connection: Any) -> None:
    """Play noops until the end; the game may close the connection while the last answer is written."""
    with suppress(ConnectionClosed):
        for text in connection:
            message = json.loads(text)
            if message["type"] == "observation":
                connection.send(json.dumps({"type": "action", "action_name": "noop", "for_step": message["step"]}))


def test_a_cog_is_played_by_keyboard_while_others_watch_and_the_replay_is_shown(
    visit: Callable[..., Any], game: Any, replay_server: Any
) -> None:
    playing = game(2, max_steps=len(KEYS) + 1, step_timeout_seconds=60, players=[{"name": "Ada"}, {"name": "Program"}])
    with playing.seat(1) as program:
        threading.Thread(target=answers, args=(program,), daemon=True).start()
        player = visit(playing.page(f"/client/player?slot=0&token={playing.tokens[0]}"))
        player.page.click("[data-testid=ready-button]")
        player.until(lambda: "Agent 0: you" in player.texts(".live-drivers .chip"))
        step = "mettascope.app.lastTick"
        for number, key in enumerate(KEYS[:-1]):
            player.page.keyboard.press(key)
            player.until(lambda number=number: player.page.evaluate(step) == number + 1)
        late = visit(playing.page("/client/global"))
        late.until(lambda: late.page.evaluate(step) == len(KEYS) - 1)
        late.until(lambda: late.texts(".live-drivers .chip") == ["Agent 0: Ada", "Agent 1: Program"])
        assert late.page.locator("[data-testid=drive]").is_hidden()
        assert late.page.locator(".invite").is_hidden()
        late.seek(1)  # what happened before it came
        late.page.keyboard.press("End")
        player.page.keyboard.press(KEYS[-1])
        late.until(lambda: late.page.evaluate(step) == len(KEYS))
        player.page.keyboard.press("x")
        late.until(lambda: late.text("[data-testid=live]") == "Over")
        player.until(lambda: player.text("[data-testid=live]") == "Over")
    assert playing.end()[0] == 0
    content = (playing.folder / "replay").read_bytes()
    replay = load_replay(content)
    names = replay.action_names
    done = [names[frame_at(replay, tick).agents[0].asked] for tick in range(1, len(KEYS) + 1)]
    assert done == ACTIONS
    port = replay_server(COGAME_LOAD_REPLAY_URI=(playing.folder / "replay").as_uri())
    shown = visit(f"http://127.0.0.1:{port}/client/replay")
    ticks = set()
    last = len(KEYS) + 1
    shown.until(lambda: ticks.add(shown.page.evaluate("mettascope.app.tick")) or last in ticks)  # type: ignore[func-returns-value]
    shown.until(lambda: shown.page.evaluate("mettascope.app.tick") < last)  # it begins again by itself
    shown.until(lambda: "Ada" in shown.text("body"))


def test_the_host_steers_the_game_from_its_page(visit: Callable[..., Any], game: Any) -> None:
    playing = game(1, max_steps=5000, tick_rate=20, player_connect_timeout_seconds=0)
    host = visit(playing.page("/client/admin?token=secret-of-the-host"))
    assert host.page.locator("[data-testid=drive]").is_hidden()
    host.until(lambda: host.page.evaluate("mettascope.app.lastTick") > 0)
    host.page.keyboard.press("Space")
    host.until(lambda: host.page.evaluate("mettascope.app.live.state.isPaused"))
    tick = host.page.evaluate("mettascope.app.lastTick")
    host.page.keyboard.press("Space")
    host.until(lambda: host.page.evaluate("mettascope.app.lastTick") > tick)
