"""Format objects of `grid_objects()` like the published replay format, one step at a time, for live viewers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["format_agent_properties", "format_converter_properties", "format_grid_object", "format_grid_object_base"]

_VISION_SIZE = 13
_CONVERTER_FIELDS = (
    "input_resources",
    "output_resources",
    "output_limit",
    "conversion_remaining",
    "is_converting",
    "conversion_duration",
    "is_cooling_down",
    "cooldown_remaining",
    "cooldown_duration",
)


def format_grid_object(
    grid_object: dict[str, Any],
    actions: np.ndarray,
    env_action_success: np.ndarray | Sequence[bool],
    rewards: np.ndarray,
    total_rewards: np.ndarray,
    decode_flat_action: Callable[[int], tuple[int, int]] | None = None,
    policy_infos: dict[str, Any] | None = None,
    monologue_append: str = "",
    monologue_reset: bool = False,
    talk_text: str = "",
    talk_remaining_steps: int = 0,
) -> dict[str, Any]:
    """Return one object in the viewer's format; all other arguments are lists over all agents, by id."""
    formatted = format_grid_object_base(grid_object)
    if "agent_id" not in grid_object:
        format_converter_properties(grid_object, formatted)
        return formatted
    format_agent_properties(
        grid_object, formatted, actions, env_action_success, rewards, total_rewards, decode_flat_action
    )
    if policy_infos:
        formatted["policy_infos"] = policy_infos
    formatted |= {"monologue_append": monologue_append, "monologue_reset": monologue_reset}
    if text := talk_text or grid_object.get("talk_text", ""):
        remaining = talk_remaining_steps or grid_object.get("talk_remaining_steps", 0)
        formatted |= {"talk_text": text, "talk_remaining_steps": remaining}
    return formatted


def format_grid_object_base(grid_object: dict[str, Any]) -> dict[str, Any]:
    """Return the properties that all objects have. Limits are by resource, as in the engine."""
    return {
        "id": grid_object["id"],
        "alive": True,
        "type_name": grid_object["type_name"],
        "location": grid_object["location"],
        "orientation": grid_object.get("orientation", 0),
        "inventory": sorted([int(item), int(amount)] for item, amount in grid_object.get("inventory", {}).items()),
        "inventory_max": grid_object.get("inventory_max", 0),
        "inventory_capacities_raw": dict(grid_object.get("inventory_capacities", {})),
        "color": grid_object.get("color", 0),
        "tag_ids": list(grid_object.get("tag_ids", ())),
    }


def format_agent_properties(
    grid_object: dict[str, Any],
    update_object: dict[str, Any],
    actions: np.ndarray,
    env_action_success: np.ndarray | Sequence[bool],
    rewards: np.ndarray,
    total_rewards: np.ndarray,
    decode_flat_action: Callable[[int], tuple[int, int]] | None = None,
) -> None:
    """Add the properties of agents. The action is the executed one; its parameter is that of the requested one."""
    agent = int(grid_object["agent_id"])
    action = np.asarray(actions)[agent]
    if action.ndim:
        parameter = int(action[1])
    else:
        parameter = 0 if decode_flat_action is None else int(decode_flat_action(int(action))[1])
    update_object |= {
        "is_agent": True,
        "agent_id": agent,
        "vision_size": _VISION_SIZE,
        "action_id": int(grid_object.get("last_action_id", 0)),
        "action_param": parameter,
        "action_success": bool(env_action_success[agent]),
        "animation_id": int(grid_object.get("last_animation_id", 0)),
        "current_reward": float(rewards[agent]),
        "total_reward": float(total_rewards[agent]),
        "group_id": grid_object["group_id"],
        "vibe_id": grid_object.get("vibe", 0),
        "vibe": grid_object.get("vibe", 0),
    }


def format_converter_properties(grid_object: dict[str, Any], update_object: dict[str, Any]) -> None:
    """Add the properties that buildings of earlier engines had, if the object has them."""
    update_object |= {name: grid_object[name] for name in _CONVERTER_FIELDS if name in grid_object}
