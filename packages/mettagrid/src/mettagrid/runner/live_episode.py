"""An episode whose players are connections, with the published protocol `coworld.player.v1`.

`LiveMettaGridEpisode` is for servers with their own sockets: each connection is an object with
`async send_json(message)` and `async close(code, reason)`. `mettagrid.live` is a complete game with a server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, Field

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.live._clock import Clock, TickMode
from mettagrid.live._controls import Controls
from mettagrid.live._messages import (
    PLAYER_PROTOCOL,
    control_state,
    observation_fields,
    observation_metadata,
    player_config,
    primary_names,
)
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.simulator import Simulation, Simulator

__all__ = [
    "PLAYER_PROTOCOL",
    "LiveMettaGridEpisode",
    "LivePlayerConnection",
    "PlayerClientMessage",
    "PlayerWebSocket",
    "SubmittedAction",
    "TickMode",
]

_PAUSE_SECONDS = 0.02
BOOTED = 4000


class PlayerWebSocket(Protocol):
    """The client side of a connection."""

    async def send_json(self, data: Any) -> None: ...

    async def close(self, code: int = 1000, reason: str | None = None) -> None: ...


class PlayerClientMessage(BaseModel):
    """A message from a player; unknown keys are ignored."""

    type: Literal["action", "takeover", "release_takeover"]
    action_name: str | None = None
    action_index: int | None = None
    policy_infos: dict[str, Any] = Field(default_factory=dict)
    request_id: str | None = None


@dataclass(frozen=True)
class SubmittedAction:
    """An action that a connection sent."""

    action_index: int
    action_name: str
    connection_id: str
    policy_infos: dict[str, Any] = field(default_factory=dict)
    request_id: str | None = None


@dataclass(frozen=True)
class LivePlayerConnection:
    """A connection to a slot."""

    connection_id: str
    slot: int
    websocket: PlayerWebSocket


class LiveMettaGridEpisode:
    """Plays one episode for players that may connect and disconnect at any time.

    An action from a connection is repeated as its slot's policy action until the next one arrives. A connection that
    has taken over its slot plays as a person instead: each of its actions applies to one step, and policy actions are
    held back. A second takeover of a slot replaces the first. Unknown action names and numbers count as noop; so do
    vibe changes, which this class does not support.

    In mode `fixed` a step is taken every `step_seconds`. A takeover switches to `tick_when_act`: while people drive, a
    step is taken when one of them acts, or after `human_action_timeout_seconds`. The published class then stays in that
    mode; this one returns to the previous mode once the last person has handed back.

    The episode begins when all slots are connected, or `start_grace_seconds` after the first one; without `autostart`
    when `run` is called. It ends with the simulation, or after `max_steps`. `message_context` is part of every message.
    A connection that fails with one of `disconnect_exception_types` is dropped. `request_shutdown` is called last.
    """

    def __init__(
        self,
        sim: Any,
        policy_env: PolicyEnvInterface,
        *,
        tokens: list[str],
        max_steps: int,
        step_seconds: float,
        message_context: Mapping[str, Any] | None = None,
        start_grace_seconds: float = 0.5,
        tick_mode: TickMode = "fixed",
        human_action_timeout_seconds: float = 5.0,
        disconnect_exception_types: tuple[type[Exception], ...] = (RuntimeError,),
        request_shutdown: Callable[[], None] = lambda: None,
        autostart: bool = True,
    ) -> None:
        self.sim: Simulation = sim
        self.policy_env = policy_env
        self.tokens = tokens
        self.max_steps = max_steps
        self.step_seconds = step_seconds
        self.message_context = dict(message_context or {})
        self.start_grace_seconds = start_grace_seconds
        self.disconnect_exception_types = disconnect_exception_types
        self.request_shutdown = request_shutdown
        self.autostart = autostart
        self.action_names = primary_names(sim)
        self.noop_action_index = self.action_names.index("noop") if "noop" in self.action_names else 0
        self._clock = Clock(tick_mode=tick_mode, human_action_timeout_seconds=human_action_timeout_seconds)
        self._controls = Controls(self._clock)
        self._controls.follow(sim)

        nothing = SubmittedAction(self.noop_action_index, self.action_names[self.noop_action_index], "system")
        self.latest_policy_actions = [nothing] * sim.num_agents
        self.latest_human_actions: dict[int, SubmittedAction] = {}
        self.pending_human_actions: dict[int, SubmittedAction] = {}
        self.latest_action_indices = [self.noop_action_index] * sim.num_agents
        self.connections: dict[str, LivePlayerConnection] = {}
        self.connections_by_slot: dict[int, dict[str, LivePlayerConnection]] = {s: {} for s in range(sim.num_agents)}
        self.play_task: asyncio.Task[None] | None = None
        self.start_deadline: float | None = None
        self.done = False
        self.paused = False
        self.replay_events: list[dict[str, Any]] = []
        self._nothing = nothing
        self._numbers = itertools.count()
        self._acted = asyncio.Event()
        self._all_connected = asyncio.Event()
        self._results_path: Path | None = None
        self._replay_path: Path | None = None
        self._results_builder: Callable[[], dict[str, Any]] | None = None
        self._replay_step_builder: Callable[[], dict[str, Any]] | None = None

    @classmethod
    def from_env(cls, env: MettaGridConfig, *, seed: int, **settings: Any) -> LiveMettaGridEpisode:
        """Create an episode; `settings` are those of the class. `tokens`, `max_steps`, `step_seconds` are required."""
        simulation = Simulator().new_simulation(env, seed=seed)
        return cls(simulation, PolicyEnvInterface.from_mg_cfg(env), **settings)

    # Settings that can be changed while it runs

    @property
    def tick_mode(self) -> TickMode:
        return self._clock.tick_mode

    @tick_mode.setter
    def tick_mode(self, tick_mode: TickMode) -> None:
        self._controls.choose_mode(tick_mode)

    @property
    def human_action_timeout_seconds(self) -> float:
        return self._clock.human_action_timeout_seconds

    @human_action_timeout_seconds.setter
    def human_action_timeout_seconds(self, seconds: float) -> None:
        self._clock.human_action_timeout_seconds = seconds

    @property
    def human_controller_connection_ids(self) -> dict[int, str | None]:
        return {seat.slot: seat.driver for seat in self._controls.seats}

    def configure_artifacts(
        self, *, results_path: Path, replay_path: Path | None, results_builder: Callable[[], dict[str, Any]]
    ) -> None:
        """Write files at the end: the builder's results, and a replay of `replay_events` with the same results."""
        self._results_path, self._replay_path, self._results_builder = results_path, replay_path, results_builder

    def configure_replay_events(
        self, *, baseline_builder: Callable[[], dict[str, Any]], step_builder: Callable[[], dict[str, Any]]
    ) -> None:
        """Record what the first builder returns now, and what the second one returns after every step."""
        self.replay_events = [baseline_builder()]
        self._replay_step_builder = step_builder

    # Players

    def connected_slots(self) -> set[int]:
        return {slot for slot, connections in self.connections_by_slot.items() if connections}

    async def connect_player(self, slot: int, websocket: PlayerWebSocket) -> str:
        """Connect a player and return its connection id; raises KeyError if there is no such slot."""
        connection_id = f"player-{next(self._numbers)}"
        connection = LivePlayerConnection(connection_id, slot, websocket)
        self.connections_by_slot[slot][connection_id] = connection
        self.connections[connection_id] = connection
        await self._send_to_players({connection_id: self.player_config_message(slot, connection_id)})
        self._start_when_ready()
        return connection_id

    def disconnect_player(self, connection_id: str) -> None:
        """Remove a disconnected player; the slot that it drove goes back to the policy."""
        connection = self.connections.pop(connection_id, None)
        if connection is not None:
            self.connections_by_slot[connection.slot].pop(connection_id, None)
            self.release_takeover(connection.slot, connection_id)

    async def boot_connection(self, connection_id: str) -> None:
        """Close a connection."""
        connection = self.connections.get(connection_id)
        if connection is not None:
            self.disconnect_player(connection_id)
            await connection.websocket.close(code=BOOTED, reason="booted by admin")

    async def handle_player_message(self, connection_id: str, raw_message: Mapping[str, Any]) -> None:
        """Handle a player's message; reply to a takeover or a release with the new state.

        Raises pydantic's ValidationError for an invalid message; ignores unknown connections.
        """
        connection = self.connections.get(connection_id)
        if connection is None:
            return
        message = PlayerClientMessage.model_validate(raw_message)
        slot = connection.slot
        if message.type != "action":
            if message.type == "takeover":
                self.takeover(slot, connection_id)
            else:
                self.release_takeover(slot, connection_id)
            await self._send_to_players({connection_id: self.player_config_message(slot, connection_id)})
        elif self._controls.seat(slot).driver == connection_id:
            action = self._submitted_action(connection_id, message)
            self.latest_human_actions[slot] = self.pending_human_actions[slot] = action
            self._acted.set()
        else:
            self.latest_policy_actions[slot] = self._submitted_action(connection_id, message)

    def takeover(self, slot: int, connection_id: str) -> None:
        """Let a connection drive its slot; raises ValueError if it is not connected to it."""
        if connection_id not in self.connections_by_slot[slot]:
            raise ValueError(f"Connection {connection_id!r} is not attached to slot {slot}")
        self.pending_human_actions.pop(slot, None)
        self._controls.take(slot, connection_id, force=True)

    def release_takeover(self, slot: int, connection_id: str | None = None) -> None:
        """Hand a slot back to its policy; does nothing if `connection_id` is given and does not drive the slot."""
        if connection_id in (None, self._controls.seat(slot).driver):
            self.pending_human_actions.pop(slot, None)
        self._controls.release(slot, connection_id)
        self._acted.set()

    def set_policy_action(self, slot: int, raw_message: Mapping[str, Any], *, connection_id: str = "policy") -> None:
        """Set the action that a slot's policy repeats from now on."""
        message = PlayerClientMessage.model_validate(raw_message)
        self.latest_policy_actions[slot] = self._submitted_action(connection_id, message)

    # Messages

    def player_config_message(self, slot: int, connection_id: str) -> dict[str, Any]:
        message = player_config(self.policy_env, self.sim, slot, connection_id, self.slot_control_state(slot))
        return {**self.message_context, **message}

    def observation_metadata(self) -> dict[str, Any]:
        return observation_metadata(self.policy_env, self.sim)

    def observation_message(self, slot: int) -> dict[str, Any]:
        tokens = self.sim._c_sim.observations()[slot]
        control = self.slot_control_state(slot)
        message = observation_fields(slot, self.sim.current_step, tokens, self.scores(), control)
        return {**self.message_context, **message}

    def slot_control_state(self, slot: int) -> dict[str, Any]:
        driver = self.human_controller_connection_ids[slot]
        return control_state(driver, self.tick_mode, self.human_action_timeout_seconds)

    def slot_state(self, slot: int) -> dict[str, Any]:
        """Return the connections and latest actions of a slot; raises KeyError if there is no such slot."""
        human = self.latest_human_actions.get(slot)
        control, applied = self.slot_control_state(slot), self.latest_action_indices[slot]
        return {
            "slot": slot,
            "control_state": control,
            "connections": [{"connection_id": name} for name in sorted(self.connections_by_slot[slot])],
            "latest_policy_action": asdict(self.latest_policy_actions[slot]),
            "latest_human_action": None if human is None else asdict(human),
            "applied_action_index": applied,
            "applied_action_name": self.action_names[applied],
        }

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state as a `state` message, for views."""
        return {
            **self.message_context,
            "type": "state",
            "protocol": PLAYER_PROTOCOL,
            "step": self.sim.current_step,
            "done": self.done,
            "paused": self.paused,
            "step_seconds": self.step_seconds,
            "tick_mode": self.tick_mode,
            "human_action_timeout_seconds": self.human_action_timeout_seconds,
            "scores": self.scores(),
            "num_agents": self.sim.num_agents,
            "connected_players": len(self.connections),
            "action_names": self.action_names,
            "slots": [self.slot_state(slot) for slot in self.connections_by_slot],
        }

    def scores(self) -> list[float]:
        """Return the sum of each slot's rewards."""
        return [float(reward) for reward in self.sim.episode_rewards]

    def results(self) -> dict[str, Any]:
        """Return the results to write at the end: scores and steps, unless `configure_artifacts` set a builder."""
        if self._results_builder is not None:
            return self._results_builder()
        return {"scores": self.scores(), "steps": self.sim.current_step}

    async def send_observations(self) -> None:
        """Send each player the observation of its slot."""
        of_slot = {slot: self.observation_message(slot) for slot in self.connected_slots()}
        await self._send_to_players({name: of_slot[connection.slot] for name, connection in self.connections.items()})

    async def send_final(self) -> None:
        final = {**self.snapshot(), "type": "final"}
        await self._send_to_players(dict.fromkeys(self.connections, final))

    async def _send_to_players(self, messages: dict[str, dict[str, Any]]) -> None:
        """Send all messages concurrently, so that a slow client does not delay the others; drop clients that fail."""

        async def send(connection: LivePlayerConnection, message: dict[str, Any]) -> None:
            try:
                await connection.websocket.send_json(message)
            except self.disconnect_exception_types:
                self.disconnect_player(connection.connection_id)

        waiting = [(self.connections[name], message) for name, message in messages.items() if name in self.connections]
        await asyncio.gather(*(send(connection, message) for connection, message in waiting))

    # The loop

    async def run(self) -> None:
        """Play to the end, write the files, and notify all players."""
        while not self.done:
            await self.send_observations()
            await self._wait_for_next_tick()
            self.apply_actions()
            self.sim.step()
            if self._replay_step_builder is not None:
                self.replay_events.append(self._replay_step_builder())
            self.done = self.sim.is_done() or self.sim.current_step >= self.max_steps
        self._write_artifacts()
        await self.send_final()
        self.request_shutdown()

    def apply_actions(self) -> None:
        """Set the actions of all slots for the next step; a person's action applies to one step."""
        for seat in self._controls.seats:
            slot = seat.slot
            if seat.driver is None:
                action = self.latest_policy_actions[slot]
            else:
                action = self.pending_human_actions.pop(slot, self._nothing)
            self.latest_action_indices[slot] = action.action_index
            self.sim.agent(slot).set_action(action.action_name)
        self._acted.clear()

    def _start_when_ready(self) -> None:
        if len(self.connected_slots()) == self.sim.num_agents:
            self._all_connected.set()
        if self.autostart and self.play_task is None:
            self.start_deadline = asyncio.get_running_loop().time() + self.start_grace_seconds
            self.play_task = asyncio.get_running_loop().create_task(self._run_after_grace())

    async def _run_after_grace(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.start_grace_seconds):
                await self._all_connected.wait()
        await self.run()

    async def _wait_for_next_tick(self) -> None:
        while self.paused:
            await asyncio.sleep(_PAUSE_SECONDS)
        if self.tick_mode == "fixed" or not any(self.human_controller_connection_ids.values()):
            await asyncio.sleep(self.step_seconds)
            return
        if not self.pending_human_actions:
            self._acted.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.human_action_timeout_seconds):
                    await self._acted.wait()
        while self.paused:
            await asyncio.sleep(_PAUSE_SECONDS)

    def _write_artifacts(self) -> None:
        if self._results_path is None:
            return
        results = self.results()
        self._results_path.parent.mkdir(parents=True, exist_ok=True)
        self._results_path.write_text(json.dumps(results))
        if self._replay_path is not None:
            self._replay_path.parent.mkdir(parents=True, exist_ok=True)
            self._replay_path.write_text(json.dumps({"events": self.replay_events, "results": results}))

    def _submitted_action(self, connection_id: str, message: PlayerClientMessage) -> SubmittedAction:
        index = self._action_index(message)
        name = self.action_names[index]
        return SubmittedAction(index, name, connection_id, message.policy_infos, message.request_id)

    def _action_index(self, message: PlayerClientMessage) -> int:
        """Return the action's number; a name takes precedence over a number, and an unknown action is noop."""
        names = self.action_names
        if message.action_name is not None:
            return names.index(message.action_name) if message.action_name in names else self.noop_action_index
        index = message.action_index
        return index if index is not None and 0 <= index < len(names) else self.noop_action_index
