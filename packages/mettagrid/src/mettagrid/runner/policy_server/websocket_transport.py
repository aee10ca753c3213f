"""Both ends of the protocol under their published names.

`WebSocketPolicyServerClient` is a policy whose decisions a policy server makes. It waits without a timeout; for an
enforced deadline see `mettagrid.runner.episode.served`.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.policy_server.connection import listening_socket, serve_socket
from mettagrid.runner.policy_server.messages import decode_action, prepare_request_json, write_observation
from mettagrid.runner.policy_server.server import LocalPolicyServer, write_ready_file

if TYPE_CHECKING:
    import numpy as np

    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.simulator.interface import AgentObservation
    from mettagrid.types import Action

__all__ = [
    "PREPARE_TIMEOUT",
    "PolicyStepError",
    "WebSocketPolicyServer",
    "WebSocketPolicyServerAgentClient",
    "WebSocketPolicyServerClient",
    "WebSocketRawPolicyServerClient",
]

PREPARE_TIMEOUT = 300.0
EPISODE_ID = "ws-episode"
MAX_ANSWER_BYTES = 1 << 26


class PolicyStepError(Exception):
    """A policy server did not answer, or did not send an action for each agent."""

    def __init__(self, message: str, *, policy_index: int | None = None) -> None:
        super().__init__(message)
        self.policy_index = policy_index


class WebSocketPolicyServer:
    """Listens on a port and serves one client."""

    def __init__(
        self, service: LocalPolicyServer, host: str = "127.0.0.1", port: int = 0, ready_file: str | None = None
    ) -> None:
        self._service = service
        self._ready_file = ready_file
        self._listener: socket.socket = listening_socket(host, port)
        self._port: int = self._listener.getsockname()[1]

    @property
    def port(self) -> int:
        return self._port

    def serve(self) -> None:
        """Serve until the client leaves."""
        with self._listener:
            if self._ready_file is not None:
                write_ready_file(self._ready_file, self._port)
            serve_socket(self._service, self._listener)


class WebSocketPolicyServerClient(MultiAgentPolicy):
    """A policy that a policy server plays; connects and prepares it on creation, and works as a context manager."""

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        *,
        url: str,
        agent_ids: list[int],
        policy_index: int | None = None,
    ) -> None:
        super().__init__(policy_env_info)
        self._url = url
        self._policy_index = policy_index
        self._step_id = 0
        self._infos: dict[int, dict[str, Any]] = {}
        self._resources = ExitStack()
        self._connection = self._resources.enter_context(
            connect(url, open_timeout=PREPARE_TIMEOUT, compression=None, max_size=MAX_ANSWER_BYTES, proxy=None)
        )
        try:
            self._prepare(agent_ids)
        except BaseException:
            self.close()
            raise

    def step_agents(self, agent_observations: list[tuple[int, AgentObservation]]) -> list[Action]:
        """Return an action for each (agent id, observation), in order, with one request."""
        request = policy_pb2.BatchStepRequest()
        for agent_id, observation in agent_observations:
            message = request.agent_observations.add()
            write_observation(message, observation)
            message.agent_id = agent_id
        answers = self._send(request)
        return [self._decode(agent_id, answers.get(agent_id)) for agent_id, _ in agent_observations]

    def ask(self, observations: Mapping[int, bytes]) -> dict[int, policy_pb2.AgentActions]:
        """Return the answer for each agent's raw observation, with one valid action number each."""
        request = policy_pb2.BatchStepRequest()
        for agent_id, data in observations.items():
            request.agent_observations.add(agent_id=agent_id, observations=data)
        answers = self._send(request)
        return {agent_id: self._checked(agent_id, answers.get(agent_id)) for agent_id in observations}

    def _send(self, request: policy_pb2.BatchStepRequest) -> dict[int, policy_pb2.AgentActions]:
        request.episode_id, request.step_id = EPISODE_ID, self._step_id
        self._step_id += 1
        try:
            self._connection.send(request.SerializeToString())
            data = self._connection.recv()
        except ConnectionClosed as error:
            raise self._error(f"Policy server at {self._url} closed the connection: {error}") from error
        if isinstance(data, str):
            raise self._error("Policy server answered a step with text")
        try:
            response = policy_pb2.BatchStepResponse.FromString(data)
        except DecodeError as error:
            raise self._error(f"Policy server sent an invalid BatchStepResponse: {error}") from error
        return {answer.agent_id: answer for answer in response.agent_actions}

    def step_agent(self, agent_id: int, obs: AgentObservation) -> Action:
        """Return an action for one agent."""
        return self.step_agents([(agent_id, obs)])[0]

    def agent_infos(self, agent_id: int) -> dict[str, Any]:
        """Return the infos of an agent from the last answer."""
        return self._infos.get(agent_id, {})

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return WebSocketPolicyServerAgentClient(self, agent_id)

    def reset(self) -> None:
        """Do nothing: each episode has its own connection."""

    def close(self) -> None:
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self, agent_ids: list[int]) -> None:
        self._connection.send(prepare_request_json(self._policy_env_info, agent_ids, EPISODE_ID).decode())
        try:
            answer = self._connection.recv(timeout=PREPARE_TIMEOUT)
        except (ConnectionClosed, TimeoutError) as error:
            raise self._error(f"Policy server at {self._url} could not prepare the policy: {error}") from error
        json_format.Parse(answer, policy_pb2.PreparePolicyResponse(), ignore_unknown_fields=True)

    def _checked(self, agent_id: int, answer: policy_pb2.AgentActions | None) -> policy_pb2.AgentActions:
        """Return the answer for an agent; it has one action number that the game knows."""
        if answer is None:
            raise self._error(f"Policy server returned no actions for agent {agent_id}")
        if len(answer.action_id) != 1:
            raise self._error(
                f"Policy server must return exactly one action for agent {agent_id}, not {len(answer.action_id)}"
            )
        if decode_action(answer.action_id[0], self._policy_env_info) is None:
            raise self._error(f"Policy server returned invalid action_id {answer.action_id[0]} for agent {agent_id}")
        return answer

    def _decode(self, agent_id: int, answer: policy_pb2.AgentActions | None) -> Action:
        answer = self._checked(agent_id, answer)
        action = decode_action(answer.action_id[0], self._policy_env_info)
        assert action is not None
        action.talk = answer.talk_text or None
        self._infos[agent_id] = self._decode_infos(agent_id, answer.infos_json)
        return action

    def _decode_infos(self, agent_id: int, text: str) -> dict[str, Any]:
        if not text:
            return {}
        try:
            infos = json.loads(text)
        except ValueError as error:
            raise self._error(f"infos_json of agent {agent_id} is not JSON: {error}") from error
        if not isinstance(infos, dict):
            raise self._error(f"infos_json of agent {agent_id} must be a JSON object, not {type(infos).__name__}")
        return infos

    def _error(self, message: str) -> PolicyStepError:
        return PolicyStepError(message, policy_index=self._policy_index)


class WebSocketRawPolicyServerClient(MultiAgentPolicy):
    """A policy for raw observations that a policy server plays: pictures of a BitWorld game, as bytes (format 0).

    It has no policies of single agents: call `step_batch`, with rows for all agents of the game.
    """

    def __init__(self, policy_env_info: PolicyEnvInterface, *, url: str, agent_ids: list[int]) -> None:
        """Connect and prepare the policy. Raises `ValueError` for observations that are not raw bytes."""
        super().__init__(policy_env_info)
        if not policy_env_info.is_raw or policy_env_info.observation_dtype != "uint8":
            raise ValueError(
                "Raw policy server clients need uint8 observations of a BitWorld game, "
                f"not {policy_env_info.observation_dtype} {policy_env_info.observation_kind}"
            )
        self._agent_ids = list(agent_ids)
        self._texts: dict[int, str] = {}
        # The client does everything else; only the content of the messages differs.
        self._client = WebSocketPolicyServerClient(policy_env_info, url=url, agent_ids=agent_ids)

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        """Write the number of an action for each of the policy's agents; other rows stay as they are."""
        expected = self.policy_env_info.num_agents
        for name, rows in (("observations", raw_observations), ("actions", raw_actions)):
            if len(rows) != expected:
                raise ValueError(
                    f"Raw policy batches have a row for each of the {expected} agents; {name}: {len(rows)}"
                )
        answers = self._client.ask({agent: raw_observations[agent].tobytes() for agent in self._agent_ids})
        for agent, answer in answers.items():
            raw_actions[agent] = answer.action_id[0]
        self._texts = {agent: answer.talk_text for agent, answer in answers.items() if answer.talk_text}

    def bitworld_chat_messages(self, agent_ids: Sequence[int]) -> list[str | None]:
        """Return what the agents said in the last answer."""
        return [self._texts.get(agent) for agent in agent_ids]

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        raise NotImplementedError("Raw policy server clients play all their agents together: call step_batch")

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WebSocketPolicyServerAgentClient(AgentPolicy):
    """One agent of a `WebSocketPolicyServerClient`; the agents of one client share a request."""

    def __init__(self, parent: WebSocketPolicyServerClient, agent_id: int) -> None:
        super().__init__(parent.policy_env_info)
        self._parent = parent
        self._agent_id = agent_id

    @property
    def infos(self) -> dict[str, Any]:
        return self._parent.agent_infos(self._agent_id)

    def step(self, obs: AgentObservation) -> Action:
        return self._parent.step_agent(self._agent_id, obs)

    def can_step_group(self, policies: Sequence[AgentPolicy]) -> bool:
        return all(
            isinstance(policy, WebSocketPolicyServerAgentClient) and policy._parent is self._parent
            for policy in policies
        )

    def step_group(self, observations: list[tuple[int, AgentObservation]]) -> list[Action]:
        return self._parent.step_agents(observations)

    def group_step_infos(self, agent_ids: Sequence[int]) -> list[dict[str, Any]]:
        """Return the infos of each of these agents."""
        return [self._parent.agent_infos(agent_id) for agent_id in agent_ids]
