"""The descriptions of a BitWorld game that policies get: pictures, features or scenes, and 27 actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mettagrid.bitworld import BITWORLD_ACTION_NAMES, BITWORLD_DEFAULT_FRAME_STACK, SCREEN_HEIGHT, SCREEN_WIDTH
from mettagrid.bitworld_sprite_player import SPRITE_PLAYER_FEATURES
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

if TYPE_CHECKING:
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["SCENE_BYTES", "BitWorldObservationMode", "bitworld_interface", "interface_for"]

BitWorldObservationMode = Literal["pixels", "sprite_player", "sprite_scene"]
SCENE_BYTES = 8192
"""size of a `sprite_scene`; a test compares it with `bitworld.players.scenes`"""


def bitworld_interface(
    num_agents: int, mode: BitWorldObservationMode = "pixels", frame_stack: int = BITWORLD_DEFAULT_FRAME_STACK
) -> PolicyEnvInterface:
    """Return the description for policies that see pictures, features of the sprite stream, or whole scenes."""
    shape: tuple[int, ...]
    if mode == "pixels":
        shape = (frame_stack, SCREEN_HEIGHT, SCREEN_WIDTH)
    else:
        shape = (frame_stack * SPRITE_PLAYER_FEATURES if mode == "sprite_player" else SCENE_BYTES,)
    return PolicyEnvInterface(
        action_names=list(BITWORLD_ACTION_NAMES),
        observation_kind=mode,
        observation_high=15.0 if mode == "pixels" else 255.0,
        num_agents=num_agents,
        observation_shape=shape,
        egocentric_shape=(SCREEN_HEIGHT, SCREEN_WIDTH) if mode == "pixels" else (1, *shape),
    )


def interface_for(recorded: PolicyEnvInterface | None, num_agents: int) -> PolicyEnvInterface:
    """Return the description for a policy that was made for `recorded`; pictures if that is unknown.

    Raises `ValueError` for observations that no BitWorld game has.
    """
    if recorded is None:
        return bitworld_interface(num_agents)
    kind, shape = recorded.observation_kind, tuple(recorded.observation_shape)
    if kind == "pixels":
        if len(shape) == 3 and shape[0] >= 1 and shape[1:] == (SCREEN_HEIGHT, SCREEN_WIDTH):
            return bitworld_interface(num_agents, "pixels", shape[0])
        wanted = f"[stack, {SCREEN_HEIGHT}, {SCREEN_WIDTH}]"
    elif kind == "sprite_player":
        if len(shape) == 1 and shape[0] >= 1 and shape[0] % SPRITE_PLAYER_FEATURES == 0:
            return bitworld_interface(num_agents, "sprite_player", shape[0] // SPRITE_PLAYER_FEATURES)
        wanted = f"[stack x {SPRITE_PLAYER_FEATURES}]"
    elif kind == "sprite_scene":
        if shape == (SCENE_BYTES,):
            return bitworld_interface(num_agents, "sprite_scene")
        wanted = f"[{SCENE_BYTES}]"
    else:
        raise ValueError(f"BitWorld policies observe `pixels`, `sprite_player` or `sprite_scene`, not {kind!r}")
    raise ValueError(f"BitWorld policies with {kind} observations have the shape {wanted}, not {list(shape)}")


def recorded_interface(spec: PolicySpec) -> PolicyEnvInterface | None:
    """Return the game that a policy was made for: as its bundle records, else as its class says.

    A class says it with `bitworld_observation = "sprite_scene"` (or `pixels`, `sprite_player`).
    """
    if spec.policy_env_interface is not None:
        return spec.policy_env_interface
    from mettagrid.policy.loader import load_policy_class

    mode = getattr(load_policy_class(spec), "bitworld_observation", None)
    return None if mode is None else bitworld_interface(1, mode)
