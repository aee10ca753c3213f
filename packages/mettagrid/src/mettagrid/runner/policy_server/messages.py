"""Encode and decode the messages of the policy server. See `policy.proto` for the messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format

from mettagrid.protobuf.sim.policy_v1 import policy_pb2

if TYPE_CHECKING:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.simulator.interface import AgentObservation
    from mettagrid.types import Action

__all__ = [
    "CLOSE_PROTOCOL_ERROR",
    "ActionNumbers",
    "decode_action",
    "encode_action_id",
    "infos_json",
    "prepare_request",
    "prepare_request_json",
    "write_observation",
]


#: Close code of our server after an invalid action; 1011 is an exception of the policy, 1001 a client's mistake.
CLOSE_PROTOCOL_ERROR = 4001


class ActionNumbers:
    """Maps an action number on the wire to the engine's two action streams.

    With P actions and V vibe actions a number is an action (0 to P-1), a vibe change (to P+V-1), or both
    (P+V + action*V + vibe).
    """

    def __init__(self, interface: PolicyEnvInterface, streams: Mapping[str, tuple[int, int]]) -> None:
        primary = [streams[name][0] for name in interface.action_names]
        vibes = [streams[name][1] for name in interface.vibe_action_names]
        self._pairs = [(number, 0) for number in primary] + [(0, vibe) for vibe in vibes]
        self._pairs += [(number, vibe) for number in primary for vibe in vibes]

    @property
    def count(self) -> int:
        return len(self._pairs)

    def split(self, number: int) -> tuple[int, int] | None:
        """Return (primary, vibe), or None for an invalid number."""
        return self._pairs[number] if 0 <= number < len(self._pairs) else None


def encode_action_id(action: Action, policy_env: PolicyEnvInterface) -> int | None:
    """Return the number of an action on the wire, or None if the game has no such action."""
    flat = policy_env.action_name_to_flat_index.get(action.name)
    if flat is None or action.vibe is None:
        return flat
    primary, vibes = len(policy_env.action_names), len(policy_env.vibe_action_names)
    vibe = policy_env.action_name_to_flat_index.get(action.vibe)
    if flat >= primary or vibe is None or vibe < primary:
        return None
    return primary + vibes + flat * vibes + vibe - primary


def decode_action(number: int, policy_env: PolicyEnvInterface) -> Action | None:
    """Return the action of a number on the wire, or None for an invalid number."""
    from mettagrid.types import Action

    names = policy_env.all_action_names
    primary, vibes = len(policy_env.action_names), len(policy_env.vibe_action_names)
    if 0 <= number < len(names):
        return Action(name=names[number])
    both = number - len(names)
    if not 0 <= both < primary * vibes:
        return None
    return Action(name=names[both // vibes], vibe=names[primary + both % vibes])


def prepare_request(
    interface: PolicyEnvInterface, agent_ids: Sequence[int], episode_id: str
) -> policy_pb2.PreparePolicyRequest:
    """Return the first message of an episode."""
    formats = policy_pb2.AgentObservations.Format
    request = policy_pb2.PreparePolicyRequest(
        episode_id=episode_id,
        agent_ids=agent_ids,
        observations_format=formats.AGENT_OBSERVATIONS_FORMAT_UNKNOWN if interface.is_raw else formats.TRIPLET_V1,
        env_interface=interface.to_proto(),
    )
    for feature in interface.obs_features:
        request.game_rules.features.add(id=feature.id, name=feature.name, normalization=feature.normalization)
    for number, name in enumerate(interface.all_action_names):
        request.game_rules.actions.add(id=number, name=name)
    return request


def prepare_request_json(interface: PolicyEnvInterface, agent_ids: Sequence[int], episode_id: str) -> bytes:
    """Return the first message of an episode, encoded for the wire."""
    request = prepare_request(interface, agent_ids, episode_id)
    return json_format.MessageToJson(request, preserving_proto_field_name=True, indent=None).encode()


def write_observation(message: policy_pb2.AgentObservations, observation: AgentObservation) -> None:
    """Write an agent's observation and the talk it hears into its message."""
    message.agent_id = observation.agent_id
    message.observations = observation.token_array().tobytes()
    for talk in observation.talk:
        message.visible_talk.add(
            agent_id=talk.agent_id,
            row=talk.location.row,
            col=talk.location.col,
            remaining_steps=talk.remaining_steps,
            text=talk.text,
        )


def infos_json(infos: Mapping[str, Any] | None) -> str:
    """Return a policy's infos as JSON; values that JSON does not support become strings. Empty for no infos."""
    return json.dumps(dict(infos), default=str) if infos else ""
