"""`LiveMettaGridEpisode` with players that are lists; `tests/compat/live_episode.py` compares it with the published."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from mettagrid.runner.live_episode import LiveMettaGridEpisode

from .conftest import room


class Player:
    def __init__(self, leaves_at: int | None = None) -> None:
        self.got: list[dict[str, Any]] = []
        self.closed: tuple[int, str] | None = None
        self._leaves_at = leaves_at

    async def send_json(self, data: Any) -> None:
        if self._leaves_at is not None and data.get("step") == self._leaves_at:
            raise RuntimeError("gone")
        self.got.append(json.loads(json.dumps(data)))

    async def close(self, code: int = 1000, reason: str | None = None) -> None:
        self.closed = (code, reason or "")

    @property
    def types(self) -> list[str]:
        return [message["type"] for message in self.got]


def episode(steps: int = 4, agents: int = 2, **settings: Any) -> LiveMettaGridEpisode:
    settings = {"step_seconds": 0.001, "max_steps": steps, **settings}
    return LiveMettaGridEpisode.from_env(room(agents, steps), seed=1, tokens=["a", "b"][:agents], **settings)


def run(work: Coroutine[Any, Any, Any]) -> None:
    asyncio.run(asyncio.wait_for(work, 20))


def test_an_episode_begins_when_all_are_there_and_tells_everybody_how_it_ended(tmp_path: Path) -> None:
    async def work() -> None:
        ended: list[bool] = []
        live = episode(
            message_context={"game": "room"}, start_grace_seconds=60, request_shutdown=lambda: ended.append(True)
        )
        live.configure_artifacts(
            results_path=tmp_path / "new" / "results.json",
            replay_path=tmp_path / "replay.json",
            results_builder=lambda: {"steps": live.sim.current_step},
        )
        live.configure_replay_events(baseline_builder=lambda: {"begin": 1}, step_builder=lambda: {"on": 1})
        leaver, stayer = Player(leaves_at=2), Player()
        assert await live.connect_player(0, leaver) == "player-0"
        await live.connect_player(1, stayer)
        assert live.play_task is not None
        await live.play_task
        assert leaver.types == ["player_config", "observation", "observation"]
        assert stayer.types == ["player_config", *["observation"] * 4, "final"]
        assert all(message["game"] == "room" for message in stayer.got)
        assert (live.connected_slots(), ended) == ({1}, [True])

    run(work())
    assert json.loads((tmp_path / "new" / "results.json").read_text()) == {"steps": 4}
    replay = json.loads((tmp_path / "replay.json").read_text())
    assert replay == {"events": [{"begin": 1}, *[{"on": 1}] * 4], "results": {"steps": 4}}


def test_an_episode_does_not_wait_for_ever_for_those_who_do_not_come() -> None:
    async def work() -> None:
        live = episode(start_grace_seconds=0.01)
        player = Player()
        await live.connect_player(0, player)
        assert live.play_task is not None
        await live.play_task
        assert player.types[-1] == "final"

    run(work())


def test_the_mode_before_comes_back_with_the_last_release() -> None:
    async def work() -> None:
        live = episode(autostart=False)
        ids = [await live.connect_player(slot, Player()) for slot in (0, 1)]
        for name in ids:
            await live.handle_player_message(name, {"type": "takeover"})
        assert live.tick_mode == "tick_when_act"
        await live.handle_player_message(ids[0], {"type": "release_takeover"})
        assert live.tick_mode == "tick_when_act"
        live.disconnect_player(ids[1])
        assert live.tick_mode == "fixed"

    run(work())


def test_a_person_acts_once_and_a_policy_until_it_says_otherwise() -> None:
    async def work() -> None:
        live = episode(autostart=False)
        person, program = Player(), Player()
        ids = [await live.connect_player(slot, player) for slot, player in enumerate((person, program))]
        await live.handle_player_message(ids[0], {"type": "takeover"})
        await live.handle_player_message(ids[0], {"type": "action", "action_name": "move_east"})
        await live.handle_player_message(ids[1], {"type": "action", "action_index": 2})
        applied = []
        for _ in range(2):
            live.apply_actions()
            applied.append([live.slot_state(slot)["applied_action_name"] for slot in (0, 1)])
        assert applied == [["move_east", "move_south"], ["noop", "move_south"]]
        with pytest.raises(ValidationError):
            await live.handle_player_message(ids[0], {"type": "fly"})
        await live.boot_connection(ids[0])
        assert person.closed == (4000, "booted by admin")
        assert live.slot_control_state(0)["control_mode"] == "policy"

    run(work())


def test_a_paused_episode_stands_until_it_is_told_to_go_on() -> None:
    async def work() -> None:
        live = episode()
        live.paused = True
        for slot in (0, 1):
            await live.connect_player(slot, Player())
        await asyncio.sleep(0.05)
        assert live.sim.current_step == 0
        live.paused = False
        assert live.play_task is not None
        await live.play_task
        assert live.results()["steps"] == 4

    run(work())


def test_connections_of_a_slot_are_listed_by_name() -> None:
    async def work() -> None:
        live = episode(autostart=False)
        for _ in range(11):
            await live.connect_player(0, Player())
        names = [one["connection_id"] for one in live.slot_state(0)["connections"]]
        assert names == sorted(names)
        assert names[1:3] == ["player-1", "player-10"]

    run(work())
