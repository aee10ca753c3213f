"""Messages of `coworld.player.v1` and our additions, as plain data; `docs/concepts/live.md` lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mettagrid.live._renderer import LiveRenderer
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.simulator.simulator import Simulation

__all__ = ["PLAYER_PROTOCOL", "WATCH_PROTOCOL", "action_fields", "control_state", "observation_fields", "player_config"]

PLAYER_PROTOCOL = "coworld.player.v1"
WATCH_PROTOCOL = "mettagrid.watch.v1"
EMPTY = 255


def control_state(driver: str | None, tick_mode: str, timeout_seconds: float) -> dict[str, Any]:
    """Return the driver of a slot and whether the game waits for people."""
    return {
        "control_mode": "policy" if driver is None else "human",
        "human_controller_connection_id": driver,
        "tick_mode": tick_mode,
        "human_action_timeout_seconds": timeout_seconds,
    }


def action_fields(
    index: int, name: str, connection_id: str, policy_infos: dict[str, Any], request_id: str | None
) -> dict[str, Any]:
    """Return an action that a client sent, as a message."""
    return {
        "action_index": index,
        "action_name": name,
        "connection_id": connection_id,
        "policy_infos": policy_infos,
        "request_id": request_id,
    }


def primary_names(simulation: Simulation) -> list[str]:
    """Return the actions other than vibe changes; messages refer to them by index."""
    return [name for name in simulation.action_names if name not in simulation.vibe_action_ids]


def observation_metadata(interface: PolicyEnvInterface, simulation: Simulation) -> dict[str, Any]:
    """Return what a client needs to decode observations."""
    dumped = interface.model_dump(mode="json")
    window = simulation.config.game.obs
    return {
        "width": window.width,
        "height": window.height,
        "features": dumped["obs_features"],
        "tags": dumped["tags"],
        "global_location": 254,
        "empty_location": EMPTY,
    }


def player_config(
    interface: PolicyEnvInterface, simulation: Simulation, slot: int, connection_id: str, control: dict[str, Any]
) -> dict[str, Any]:
    """Return the first message that a client of a slot receives."""
    return {
        "type": "player_config",
        "protocol": PLAYER_PROTOCOL,
        "slot": slot,
        "connection_id": connection_id,
        "num_agents": simulation.num_agents,
        "action_names": primary_names(simulation),
        "observation_shape": list(simulation.observation_shape),
        "policy_env": interface.model_dump(mode="json"),
        "observation": observation_metadata(interface, simulation),
        "control_state": control,
    }


def observation_fields(
    slot: int, step: int, tokens: np.ndarray, scores: Sequence[float], control: dict[str, Any]
) -> dict[str, Any]:
    """Return the observation of a slot: `tokens` is uint8 [tokens, 3], padded with 255."""
    return {
        "type": "observation",
        "protocol": PLAYER_PROTOCOL,
        "slot": slot,
        "step": step,
        "observation": tokens.tolist(),
        "scores": list(scores),
        "is_human_controlled": control["control_mode"] == "human",
        "control_state": control,
    }


def state_fields(renderer: LiveRenderer, connections: dict[int, list[str]]) -> dict[str, Any]:
    """Return the state of a line. `connections` are the connections of each slot."""
    clock, controls, simulation = renderer.clock, renderer.controls, renderer._sim
    names = simulation.action_names
    applied = renderer.moves[-1].actions.tolist() if renderer.moves else []
    chosen = renderer.policy_choice
    with clock.changed:
        slots = []
        for seat in controls.seats:
            control = control_state(seat.driver, clock.tick_mode, clock.human_action_timeout_seconds)
            human = seat.latest_human_action
            index = applied[seat.slot] if applied else 0
            if seat.policy_action is not None:
                sender, action = seat.policy_action
                policy = action_fields(simulation.action_ids[action.name], action.name, sender, {}, None)
            else:
                number = 0 if chosen is None else int(chosen.actions[seat.slot])
                policy = action_fields(number, names[number], "policy", {}, None)
            slots.append(
                {
                    "slot": seat.slot,
                    "control_state": control,
                    "connections": [{"connection_id": name} for name in connections.get(seat.slot, [])],
                    "latest_policy_action": policy,
                    "latest_human_action": None
                    if human is None
                    else action_fields(simulation.action_ids[human.name], human.name, seat.driver or "", {}, None),
                    "applied_action_index": index,
                    "applied_action_name": names[index],
                    "driver": seat.driver,
                    "plan": seat.orders.plan(),
                }
            )
        return {
            "type": "state",
            "protocol": PLAYER_PROTOCOL,
            "step": renderer.feed.tick,
            "done": renderer.done,
            "paused": clock.paused,
            "step_seconds": 1 / clock.steps_per_second,
            "tick_mode": clock.tick_mode,
            "human_action_timeout_seconds": clock.human_action_timeout_seconds,
            "scores": renderer.feed.scores,
            "num_agents": len(slots),
            "connected_players": sum(bool(names) for names in connections.values()),
            "action_names": primary_names(simulation),
            "slots": slots,
            "speed": clock.steps_per_second,
            "rate": round(renderer.rate, 1),
            "waiting_for": controls.waiting_for() if clock.tick_mode == "tick_when_act" and not renderer.done else [],
        }
