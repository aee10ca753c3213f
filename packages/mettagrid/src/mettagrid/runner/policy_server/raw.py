"""Raw observations, format 0 of the protocol: the bytes of an array, for games that have no tokens.

The message has no field for the kind of an observation, so its shape decides: (stack, 128, 128) is a stack of pictures,
(n x 1231,) features of the sprite stream, any other flat one a scene.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mettagrid.bitworld_sprite_player import SPRITE_PLAYER_FEATURES

if TYPE_CHECKING:
    from mettagrid.policy.policy import MultiAgentPolicy
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.protobuf.sim.policy_v1 import policy_pb2

__all__ = ["RAW", "chat_messages", "raw_interface", "raw_rows"]

RAW = 0
"""`AGENT_OBSERVATIONS_FORMAT_UNKNOWN`"""


def raw_interface(interface: PolicyEnvInterface) -> PolicyEnvInterface:
    """Return the description of a game with the kind of its observations, which the message leaves out.

    Tokens, which have two dimensions, are never raw: the description stays as it is.
    """
    shape = interface.observation_shape
    if len(shape) == 3:
        return interface.model_copy(update={"observation_kind": "pixels", "observation_high": 15.0})
    if len(shape) != 1:
        return interface
    kind = "sprite_player" if shape[0] % SPRITE_PLAYER_FEATURES == 0 else "sprite_scene"
    return interface.model_copy(update={"observation_kind": kind})


def raw_rows(interface: PolicyEnvInterface, observations: Sequence[policy_pb2.AgentObservations]) -> np.ndarray:
    """Return the observations by agent; rows of agents that are not in the request are zero."""
    rows = np.zeros((interface.num_agents, *interface.observation_shape), np.uint8)
    for observation in observations:
        data = np.frombuffer(observation.observations, np.uint8)
        row = rows[observation.agent_id].reshape(-1)
        if len(data) != len(row):
            raise ValueError(f"The observation of agent {observation.agent_id} has {len(data)} bytes, not {len(row)}")
        row[:] = data
    return rows


def chat_messages(policy: MultiAgentPolicy, agent_ids: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield what the agents say, if the policy has `bitworld_chat_messages`. Raises `ValueError` for a wrong answer."""
    provide = getattr(policy, "bitworld_chat_messages", None)
    if provide is None:
        return
    texts = list(provide(list(agent_ids)))
    if len(texts) != len(agent_ids):
        raise ValueError(f"bitworld_chat_messages returned {len(texts)} messages for {len(agent_ids)} agents")
    for agent, text in zip(agent_ids, texts, strict=True):
        if text is not None and not isinstance(text, str):
            raise ValueError(f"bitworld_chat_messages returned a {type(text).__name__} for agent {agent}, not a text")
        if text is not None and text.strip():
            yield agent, text
