"""Small live games, and pages that take part in them."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Self

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.live import Clock, Goal, LiveGame, LiveServer
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode.plan import EpisodePlan
from tests.browser import Visit

Go = Callable[..., Visit]


def room(agents: int = 2, steps: int = 10_000) -> MettaGridConfig:
    """A room of 10 x 10 cells with walls around it, where all agents may talk."""
    env = MettaGridConfig.EmptyRoom(num_agents=agents, width=10, height=10, with_walls=True)
    env.game.max_steps = steps
    env.game.talk.enabled = True
    env.game.talk.max_length = 20
    env.game.map_builder.seed = 3  # type: ignore[union-attr]
    return env


@dataclass
class Table:
    """A game that is served."""

    game: LiveGame
    server: LiveServer

    @property
    def address(self) -> str:
        """The host's link."""
        return self.server.address

    def renderer(self, line: int = 0) -> Any:
        return self.game.lines[line].renderer

    def place(self, agent: int, line: int = 0) -> tuple[int, int]:
        """(column, row) of an agent, as the engine has it."""
        return self.agent(agent, line)["location"]

    def agent(self, agent: int, line: int = 0) -> dict[str, Any]:
        while True:
            try:
                objects = self.renderer(line)._sim.grid_objects(ignore_types=["wall"])
                break
            except RuntimeError:  # the game takes a step at this moment
                time.sleep(0.001)
        return next(item for item in objects.values() if item.get("agent_id") == agent)

    def driver(self, agent: int, line: int = 0) -> str | None:
        driver: str | None = self.renderer(line).controls.seats[agent].driver
        return driver

    def tick(self, line: int = 0) -> int:
        return int(self.renderer(line).feed.tick)

    @property
    def clock(self) -> Clock:
        clock: Clock = self.renderer().clock
        return clock


@contextmanager
def serve_game(
    policy: str = "noop", *, paused: bool = False, speed: float = 60.0, goal: Goal | None = None, **settings: Any
) -> Iterator[Table]:
    env = room(**settings)
    seats = [0] * env.game.num_agents
    plan = EpisodePlan(env, [PolicySpec(class_path=policy)], seats, seed=7)
    with ExitStack() as stack:
        clock = Clock(paused=paused, steps_per_second=speed)
        game = stack.enter_context(LiveGame(plan, title="room", goal=goal, clock=clock))
        server = stack.enter_context(LiveServer(game))
        game.start()
        yield Table(game, server)


@pytest.fixture
def visit(visit: Go) -> Go:
    """Small pages: there are two at once in some tests, and no graphics card."""

    def go(address: str, **settings: Any) -> Visit:
        return visit(address, **{"viewport": {"width": 960, "height": 560}, **settings})

    return go


@pytest.fixture
def table() -> Iterator[Table]:
    """Two cogs whose policies do nothing."""
    with serve_game() as table:
        yield table


@pytest.fixture
def wild() -> Iterator[Table]:
    """Two cogs whose policies do anything, not too fast."""
    with serve_game("random", speed=40) as table:
        yield table


class Relay:
    """The network between a page and a server, which can be cut."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def cut(self) -> None:
        """Cut the connection."""
        self._is_cut = True
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def mend(self) -> None:
        self._is_cut = False

    def _accept(self) -> None:
        while True:
            try:
                page, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut:
                page.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            self._open += [page, server]
            for source, to in ((page, server), (server, page)):
                threading.Thread(target=_pump, args=(source, to), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.cut()
        self._listener.close()


def _pump(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            to.sendall(data)
    for one in (source, to):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


def drive(found: Visit, agent: int) -> None:
    """Choose a cog in the list and take it over, as people do."""
    if not found.page.is_visible("[data-panel=agent][aria-pressed=true]"):
        found.panel("agent")
    if found.page.is_visible("[aria-label='Clear the selection (Escape)']"):
        found.page.click("[aria-label='Clear the selection (Escape)']")
    found.page.locator(".row-button", has_text=f"Agent {agent}").click()
    found.page.click(f".panel [data-agent='{agent}'][aria-label^='Drive']")
    found.page.wait_for_selector(f".live-drivers [data-driver=you][data-agent='{agent}']")


def cell(found: Visit, column: int, row: int, pane: int = 0) -> tuple[float, float]:
    """Return the position of a cell in the window, once the view has stopped moving."""
    state = f"(() => {{ const c = mettascope.panes[{pane}].camera; return [c.x, c.y, c.scale]; }})()"
    last = None
    while last != (last := found.page.evaluate(state)):
        found.page.wait_for_timeout(60)
    x, y = found.page.evaluate(f"mettascope.panes[{pane}].camera.toView({column + 0.5}, {row + 0.5})")
    box = found.page.locator(".board").nth(pane).bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def seen(found: Visit, agent: int) -> list[int]:
    """[column, row] of an agent in the newest picture."""
    code = """(agent) => {
        const { app } = mettascope;
        const { objects } = app.left.at(app.tick);
        const { x, y } = objects.find((object) => object.agent === agent);
        return [x, y];
    }"""
    place: list[int] = found.page.evaluate(code, agent)
    return place
