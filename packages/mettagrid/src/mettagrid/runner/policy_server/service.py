"""The server side of a policy: prepared for an episode, then stepped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.policy_server.messages import encode_action_id, infos_json
from mettagrid.runner.policy_server.output import speak_as
from mettagrid.runner.policy_server.raw import RAW, chat_messages, raw_interface, raw_rows
from mettagrid.simulator.interface import EMPTY_LOCATION, AgentObservation, Location, ObservationToken, VisibleTalk

if TYPE_CHECKING:
    from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.types import Action

__all__ = [
    "AgentNotFoundError",
    "Episode",
    "EpisodeNotFoundError",
    "LocalPolicyServer",
    "UnknownActionError",
    "UnsupportedObservationFormatError",
    "parse_triplet_v1",
    "parse_visible_talk",
]

logger = logging.getLogger("mettagrid.runner.policy_server.server")

TRIPLET_V1 = 1


class EpisodeNotFoundError(Exception):
    """A step for an episode that was not prepared."""

    def __init__(self, episode_id: str) -> None:
        super().__init__(f"unknown episode_id: {episode_id}")


class AgentNotFoundError(Exception):
    """An observation for an agent that was not prepared."""

    def __init__(self, agent_id: int) -> None:
        super().__init__(f"unknown agent_id: {agent_id}")


class UnknownActionError(Exception):
    """The policy chose an action that the game does not have."""

    def __init__(self, agent_id: int, action: Action, known: Container[str] = ()) -> None:
        super().__init__(f"unknown action for agent {agent_id}: {action}")
        self.action: object = action
        self.known = known


class UnsupportedObservationFormatError(Exception):
    """An observation format that this server does not support."""

    def __init__(self, format: int) -> None:
        super().__init__(f"unsupported observation format: {format}")


@dataclass
class Episode:
    """A policy with its seats in one game."""

    policy_env: PolicyEnvInterface
    features: dict[int, ObservationFeatureSpec]
    policy: MultiAgentPolicy
    agent_ids: set[int]
    agent_policies: dict[int, AgentPolicy]
    uses_batch: bool
    parse_observations: ObservationParser


class LocalPolicyServer:
    """Handles the two requests of the protocol for one policy, one episode after the other.

    The policy, given by a URI or a spec, is created for each episode. `action_timeout_ms` is passed to it.
    """

    def __init__(self, policy_uri: str | PolicySpec, *, action_timeout_ms: int | None = None) -> None:
        self._policy = policy_uri
        self._action_timeout_ms = action_timeout_ms
        self._episodes: dict[str, Episode] = {}

    def prepare_policy(self, req: policy_pb2.PreparePolicyRequest) -> policy_pb2.PreparePolicyResponse:
        """Create the policy and its agents for the described game."""
        from mettagrid.policy.loader import initialize_or_load_policy
        from mettagrid.runner.episode.generators import import_policy_code, policy_seed, seed_generators

        interface = _interface(req)
        if req.observations_format == RAW:
            interface = raw_interface(interface)
        parse = _no_tokens if interface.is_raw else OBSERVATION_PARSERS.get(req.observations_format)
        if parse is None:
            raise UnsupportedObservationFormatError(req.observations_format)
        spec = self._spec()
        import_policy_code(spec, strict=True)
        seed = policy_seed(req.episode_id)
        if seed is not None:
            seed_generators(seed)
        logger.info("Preparing %s for %s, agents %s", spec.name, req.episode_id, list(req.agent_ids))
        policy = initialize_or_load_policy(interface, spec)
        if self._action_timeout_ms is not None:
            policy.configure_action_timeout_ms(max(self._action_timeout_ms, policy.minimum_action_timeout_ms))
        agents = {} if interface.is_raw else {agent_id: policy.agent_policy(agent_id) for agent_id in req.agent_ids}
        for agent in agents.values():
            agent.reset()
        uses_batch = interface.is_raw or getattr(policy, "supports_step_batch", False) is True
        tell = getattr(policy, "set_batch_agents", None)
        if uses_batch and tell is not None:
            tell(list(req.agent_ids))
        features = {feature.id: feature for feature in interface.obs_features}
        seats = set(req.agent_ids)
        self._episodes[req.episode_id] = Episode(interface, features, policy, seats, agents, uses_batch, parse)
        return policy_pb2.PreparePolicyResponse()

    def _spec(self) -> PolicySpec:
        if not isinstance(self._policy, str):
            return self._policy
        from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

        return policy_spec_from_uri(self._policy, device="cpu")

    def batch_step(self, req: policy_pb2.BatchStepRequest) -> policy_pb2.BatchStepResponse:
        """Return an action for each agent of the request, in the same order."""
        episode = self._episodes.get(req.episode_id)
        if episode is None:
            raise EpisodeNotFoundError(req.episode_id)
        for observation in req.agent_observations:
            if observation.agent_id not in episode.agent_ids:
                raise AgentNotFoundError(observation.agent_id)
        step = _step_raw if episode.policy_env.is_raw else _step_batch if episode.uses_batch else _step_agents
        speak_as(req.step_id)
        answer = step(episode, req.agent_observations, req.step_id)
        speak_as()
        return answer


def parse_triplet_v1(data: bytes, features: Mapping[int, ObservationFeatureSpec]) -> list[ObservationToken]:
    """Return the tokens of an observation, without unused ones and unknown features."""
    numbers = iter(data[: len(data) // 3 * 3])
    return [
        ObservationToken(features[feature_id], value, (location, feature_id, value))
        for location, feature_id, value in zip(numbers, numbers, numbers, strict=True)
        if location != EMPTY_LOCATION and feature_id in features
    ]


ObservationParser = Callable[[bytes, Mapping[int, ObservationFeatureSpec]], list[ObservationToken]]

OBSERVATION_PARSERS: dict[int, ObservationParser] = {TRIPLET_V1: parse_triplet_v1}
"""Parsers by the number of the observation format; an added one is offered to clients."""


def _no_tokens(data: bytes, features: Mapping[int, ObservationFeatureSpec]) -> list[ObservationToken]:
    """Return no tokens: raw observations go to `step_batch` as they are."""
    return []


def parse_visible_talk(talk_protos: Sequence[policy_pb2.VisibleTalk]) -> list[VisibleTalk]:
    """Return the talk that an agent hears."""
    return [
        VisibleTalk(talk.agent_id, talk.text, Location(talk.row, talk.col), talk.remaining_steps)
        for talk in talk_protos
    ]


def _interface(req: policy_pb2.PreparePolicyRequest) -> PolicyEnvInterface:
    """Return the game of a request; requests of the older protocol describe it by its rules only."""
    if req.HasField("env_interface"):
        return PolicyEnvInterface.from_proto(req.env_interface)
    actions = [action.name for action in sorted(req.game_rules.actions, key=lambda action: action.id)]
    proto = policy_pb2.PolicyEnvInterface(
        obs_features=req.game_rules.features,
        action_names=actions,
        move_energy_cost=-1,
        num_agents=max(req.agent_ids, default=0) + 1,
        observation_shape=(200, 3),
        obs_height=11,
        obs_width=11,
    )
    return PolicyEnvInterface.from_proto(proto)


def _step_agents(
    episode: Episode, observations: Sequence[policy_pb2.AgentObservations], step: int
) -> policy_pb2.BatchStepResponse:
    """Step agent by agent, or the whole group if the first agent's policy supports it."""
    seen = [
        (
            observation.agent_id,
            AgentObservation(
                agent_id=observation.agent_id,
                tokens=episode.parse_observations(observation.observations, episode.features),
                talk=parse_visible_talk(observation.visible_talk),
            ),
        )
        for observation in observations
    ]
    response = policy_pb2.BatchStepResponse()
    if not seen:
        return response
    policies = [episode.agent_policies[agent_id] for agent_id, _ in seen]
    step_infos: Sequence[Any]
    if policies[0].can_step_group(policies):
        actions = policies[0].step_group(seen)
        tell = getattr(policies[0], "group_step_infos", None)
        step_infos = tell([agent_id for agent_id, _ in seen]) if tell is not None else [None] * len(seen)
    else:
        actions, step_infos = [], []
        for policy, (agent_id, observation) in zip(policies, seen, strict=True):
            speak_as(step, agent_id)
            actions.append(policy.step(observation))
            step_infos.append(policy.infos)
    for (agent_id, _), action, infos in zip(seen, actions, step_infos, strict=True):
        number = encode_action_id(action, episode.policy_env) if hasattr(action, "name") else None
        if number is None:
            raise UnknownActionError(agent_id, action, episode.policy_env.all_action_names)
        _answer(response, agent_id, number, getattr(action, "talk", None), infos)
    return response


def _step_batch(
    episode: Episode, observations: Sequence[policy_pb2.AgentObservations], _step: int
) -> policy_pb2.BatchStepResponse:
    """Step once for all agents, with empty rows for other policies' agents."""
    env = episode.policy_env
    seen = np.full((env.num_agents, *env.observation_shape), 255, np.uint8)
    for observation in observations:
        row = seen[observation.agent_id].reshape(-1)
        row[: len(observation.observations)] = np.frombuffer(observation.observations, np.uint8)[: len(row)]
    chosen = np.zeros(env.num_agents, np.int32)
    episode.policy.step_batch(seen, chosen)
    response = policy_pb2.BatchStepResponse()
    for observation in observations:
        number, agent_id = int(chosen[observation.agent_id]), observation.agent_id
        if not 0 <= number < len(env.all_action_names):
            raise WrongNumberError(number, len(env.all_action_names))
        _answer(response, agent_id, number, None, episode.agent_policies[agent_id].infos)
    return response


def _step_raw(
    episode: Episode, observations: Sequence[policy_pb2.AgentObservations], _step: int
) -> policy_pb2.BatchStepResponse:
    """Step once for all agents with raw observations, with zeros for other policies' agents."""
    env, agent_ids = episode.policy_env, [observation.agent_id for observation in observations]
    chosen = np.zeros(env.num_agents, np.int32)
    episode.policy.step_batch(raw_rows(env, observations), chosen)
    texts = dict(chat_messages(episode.policy, agent_ids))
    response = policy_pb2.BatchStepResponse()
    for agent_id in agent_ids:
        number = int(chosen[agent_id])
        if not 0 <= number < len(env.all_action_names):
            raise WrongNumberError(number, len(env.all_action_names))
        _answer(response, agent_id, number, texts.get(agent_id), None)
    return response


class WrongNumberError(UnknownActionError):
    """A batch policy wrote an invalid action number."""

    def __init__(self, number: int, count: int) -> None:
        Exception.__init__(self, f"chose action number {number}; this game has 0 to {count - 1}")
        self.action = number


def _answer(
    response: policy_pb2.BatchStepResponse, agent_id: int, number: int, talk: str | None, infos: object
) -> None:
    text = infos_json(infos) if isinstance(infos, Mapping) else ""
    response.agent_actions.add(agent_id=agent_id, action_id=[number], talk_text=talk or "", infos_json=text)
