"""A live game over real sockets, and clients for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from websockets.sync.client import ClientConnection, connect

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.live import Clock, LiveGame, LiveServer
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import frame_at, load_replay
from mettagrid.runner.episode.plan import EpisodePlan

PATIENCE = 20.0


def room(agents: int = 2, steps: int = 10_000, **settings: Any) -> MettaGridConfig:
    """A room of 10 x 10 cells with walls around it, where all agents may talk."""
    env = MettaGridConfig.EmptyRoom(num_agents=agents, width=10, height=10, with_walls=True)
    env.game.max_steps = steps
    env.game.talk.enabled = True
    env.game.map_builder.seed = 3  # type: ignore[union-attr]
    return env


def plan_of(policy: str = "noop", agents: int = 2, steps: int = 10_000, **settings: Any) -> EpisodePlan:
    return EpisodePlan(room(agents, steps), [PolicySpec(class_path=policy)], [0] * agents, seed=7, **settings)


def until(happened: Callable[[], Any], what: str = "what was waited for") -> Any:
    """Wait for a condition, and return it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = happened()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError(f"{what} did not happen")


class Client:
    """One end of a socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def send(self, type: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": type, **fields}))

    def receive(self) -> Any:
        """The next message: a dictionary, or bytes."""
        message = self.socket.recv(timeout=PATIENCE)
        return json.loads(message) if isinstance(message, str) else message

    def next(self, type: str, when: Callable[[dict[str, Any]], bool] = lambda message: True) -> dict[str, Any]:
        """The next message of a type that fulfils a condition."""
        while True:
            message = self.receive()
            if isinstance(message, dict) and message["type"] == type and when(message):
                return message

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """The response of the host's `/admin`."""
        self.send(type, request_id=type, **fields)
        while True:
            message = self.receive()
            if message.get("request_id") == type:
                return message

    def close(self) -> None:
        self.socket.close()


class Table:
    """A served game, and its clients."""

    def __init__(self, game: LiveGame, server: LiveServer, stack: ExitStack) -> None:
        self.game = game
        self.server = server
        self._stack = stack
        self.token = server.address.partition("token=")[2]
        self.address = f"127.0.0.1:{server.port}"

    def open(self, path: str, token: str | None = None, **query: Any) -> Client:
        address = f"ws://{self.address}{path}?{urlencode({'token': token or self.token, **query})}"
        return Client(self._stack.enter_context(connect(address, max_size=1 << 26, max_queue=None)))

    def place(self, agent: int, line: int = 0) -> tuple[int, int]:
        """(column, row) of an agent."""
        tick, whole = self.game.lines[line].renderer.feed.whole()
        replay = load_replay(whole)
        return frame_at(replay, tick).objects[replay.objects.of_agents[agent]].location

    def wait_until_it_waits_for(self, slot: int) -> None:
        """For the person who drives a cog."""
        renderer = self.game.lines[0].renderer
        until(
            lambda: renderer.controls.waiting_for() == [slot] and renderer.clock._waiting_since, "waiting for a person"
        )

    @property
    def tick(self) -> int:
        return self.game.lines[0].renderer.feed.tick


@contextmanager
def serve_game(plan: EpisodePlan, *, paused: bool = True, speed: float = 1000.0, **settings: Any) -> Iterator[Table]:
    with ExitStack() as stack:
        game = stack.enter_context(LiveGame(plan, title="room", clock=Clock(paused=paused, steps_per_second=speed)))
        server = stack.enter_context(LiveServer(game, **settings))
        game.start()
        yield Table(game, server, stack)


@pytest.fixture
def table() -> Iterator[Table]:
    """Two cogs that do nothing, in a paused game."""
    with serve_game(plan_of()) as table:
        yield table
