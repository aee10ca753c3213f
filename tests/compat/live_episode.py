"""A live episode of this package says and does what that of the published mettagrid 0.26.20 does.

    python tests/compat/live_episode.py PUBLISHED_PYTHON

PUBLISHED_PYTHON is an interpreter that has the published package. The same calls are made of `LiveMettaGridEpisode` of
both, with players that are lists, and every message, state and error is compared. One difference is meant: after the
last person has handed back, ours goes back to the tick mode before.

The file also runs under the published interpreter (`--tell`), so both sides tell the same things through the same code.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


class Player:
    """The remote end of a connection: stores its messages, and leaves at step `leaves_at`."""

    def __init__(self, leaves_at: int | None = None) -> None:
        self.got: list[Any] = []
        self._leaves_at = leaves_at

    async def send_json(self, message: dict[str, Any]) -> None:
        if self._leaves_at is not None and message.get("step") == self._leaves_at:
            raise RuntimeError("gone")
        self.got.append(json.loads(json.dumps(message)))

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self.got.append(["closed", code, reason])


def make_env(agents: int, steps: int) -> Any:
    from mettagrid.config.mettagrid_config import MettaGridConfig

    env = MettaGridConfig.EmptyRoom(num_agents=agents)
    env.game.max_steps = steps
    env.game.map_builder.seed = 5
    return env


def make_episode(agents: int = 2, steps: int = 6, **settings: Any) -> Any:
    from mettagrid.runner.live_episode import LiveMettaGridEpisode

    tokens = [f"token-{slot}" for slot in range(agents)]
    common = {"seed": 1, "tokens": tokens, "max_steps": steps, "step_seconds": 0.01}
    return LiveMettaGridEpisode.from_env(make_env(agents, steps), **{**common, **settings})


async def record_by_hand() -> list[Any]:
    """Messages one by one, without the loop."""
    episode = make_episode(autostart=False, message_context={"game": "room"})
    players = [Player(), Player(), Player()]
    ids = [await episode.connect_player(slot, player) for slot, player in zip((0, 1, 0), players, strict=True)]
    records: list[Any] = [ids, sorted(episode.connected_slots()), episode.snapshot(), episode.observation_metadata()]
    east, west = {"action_name": "move_east", "request_id": "r"}, {"action_index": 3, "policy_infos": {"x": 1}}
    messages: list[tuple[int, dict[str, Any]]] = [
        (0, {"type": "action", **east}),
        (2, {"type": "action", **west}),
        (2, {"type": "takeover"}),
        (2, {"type": "action", "action_name": "nonsense"}),
        (2, {"type": "action", **east}),
        (0, {"type": "action", **west}),
        (0, {"type": "takeover"}),
        (2, {"type": "release_takeover"}),
        (0, {"type": "action", "action_index": 99}),
        (0, {"type": "action", "action_index": -1}),
        (0, {"type": "action", "action_index": "2"}),
        (0, {"type": "action", "action_name": "change_vibe_heart"}),
        (0, {"type": "action", "action_name": "nonsense", "action_index": 2}),
        (1, {"type": "action"}),
        (1, {"type": "nonsense"}),
        (1, {"type": "action", "action_name": 5}),
        (1, {"type": "action", "policy_infos": "x"}),
        (1, {"type": "action", "request_id": 5}),
        (0, {"type": "release_takeover"}),
    ]
    for number, message in messages:
        try:
            await episode.handle_player_message(ids[number], message)
        except ValueError as error:
            records.append(type(error).__name__)
        records.append([message, episode.snapshot()])
        episode.apply_actions()
        records.append([episode.slot_state(slot) for slot in (0, 1)])
    for call in (
        lambda: episode.slot_state(9),
        lambda: episode.takeover(0, "player-77"),
        lambda: episode.disconnect_player("nobody"),
        lambda: episode.set_policy_action(1, {"type": "action", "action_name": "move_south"}),
    ):
        try:
            records.append(call())
        except (KeyError, ValueError) as error:
            records.append([type(error).__name__, str(error)])
    try:
        await episode.connect_player(7, Player())
    except KeyError as error:
        records.append(str(error))
    await episode.handle_player_message("player-99", {"type": "action"})
    episode.disconnect_player(ids[2])
    await episode.boot_connection(ids[0])
    records += [episode.snapshot(), episode.results(), [player.got for player in players]]
    return records


async def record_by_loop() -> list[Any]:
    """Play a whole episode with its files; one player leaves, and no other takes over."""
    records: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        episode = make_episode(start_grace_seconds=20.0, request_shutdown=lambda: records.append("shut down"))
        episode.configure_artifacts(
            results_path=Path(folder, "results.json"),
            replay_path=Path(folder, "replay.json"),
            results_builder=lambda: {"mine": episode.scores()},
        )
        steps = itertools.count(1)
        episode.configure_replay_events(
            baseline_builder=lambda: {"step": 0}, step_builder=lambda: {"step": next(steps)}
        )
        players = [Player(leaves_at=3), Player()]
        ids = [await episode.connect_player(slot, player) for slot, player in enumerate(players)]
        await episode.handle_player_message(ids[1], {"type": "action", "action_name": "move_south"})
        await episode.play_task
        records += [episode.results(), episode.snapshot(), [player.got for player in players]]
        records += [Path(folder, name).read_text() for name in ("results.json", "replay.json")]
    return records


async def record_by_people() -> list[Any]:
    """Play with a human driver: each action is one step, and there are no other steps."""
    episode = make_episode(agents=1, steps=4, autostart=False)
    player = Player()
    name = await episode.connect_player(0, player)
    await episode.handle_player_message(name, {"type": "takeover"})
    playing = asyncio.ensure_future(episode.run())
    for step, action in enumerate(("move_east", "move_south", "move_west", "move_north")):
        while not (player.got[-1]["type"] == "observation" and player.got[-1]["step"] == step):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)  # many times the length of a step
        await episode.handle_player_message(name, {"type": "action", "action_name": action})
    await playing
    return player.got


def tell() -> dict[str, Any]:
    async def all_of_it() -> dict[str, Any]:
        return {
            "by hand": await record_by_hand(),
            "by the loop": await record_by_loop(),
            "by people": await record_by_people(),
        }

    return asyncio.run(all_of_it())


def without_intended_differences(record: Any) -> Any:
    """Drop the tick mode of slots without a driver: only ours keeps the previous mode after a release."""
    if isinstance(record, dict):
        dropped = ("tick_mode",) if record.get("control_mode") == "policy" or "slots" in record else ()
        return {key: without_intended_differences(value) for key, value in record.items() if key not in dropped}
    return [without_intended_differences(value) for value in record] if isinstance(record, list) else record


def first_difference(path: str, ours: Any, theirs: Any) -> str | None:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs):
            return f"{path}: keys {list(ours)} here, {list(theirs)} there"
        return next(filter(None, (first_difference(f"{path}.{key}", ours[key], theirs[key]) for key in ours)), None)
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(filter(None, (first_difference(f"{path}[{at}]", *pair) for at, pair in pairs)), None)
    return None if ours == theirs else f"{path}: {str(ours)[:200]} here, {str(theirs)[:200]} there"


def main(published: str) -> int:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    ran = subprocess.run(
        [published, "-W", "ignore", __file__, "--tell"],
        check=True,
        capture_output=True,
        text=True,
        env=environment | {"METTAGRID_LOG_LEVEL": "ERROR"},
    )
    theirs, ours = json.loads(ran.stdout), json.loads(json.dumps(tell()))
    differences = 0
    for name in ours:
        difference = first_difference(name, *map(without_intended_differences, (ours[name], theirs[name])))
        if difference is not None:
            differences += 1
            print(difference)
    print(f"live episodes: {len(ours) - differences} of {len(ours)} are the same in both packages")
    return differences


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", nargs="?")
    parser.add_argument("--tell", action="store_true")
    options = parser.parse_args()
    if options.tell:
        print(json.dumps(tell()))
    else:
        sys.exit(main(options.published) != 0)
