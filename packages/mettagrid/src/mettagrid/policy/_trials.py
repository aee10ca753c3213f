"""Play trial episodes with a policy, for `check_policy`."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from mettagrid.checks.problems import PolicyProblemKind, Problem
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import AgentObservation, ObservationToken, Simulation
from mettagrid.types import Action


class TrialFailure(Exception):
    """The trial cannot continue; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass
class Record:
    """The observations and actions of an episode, by step and agent."""

    num_agents: int
    observations: list[list[AgentObservation]] = field(default_factory=list)
    raw_observations: list[np.ndarray] = field(default_factory=list)
    returned: list[list[Any]] = field(default_factory=list)
    infos: list[list[Any]] = field(default_factory=list)
    slowest_ms: float = 0.0
    draws_from_shared_generators: bool = False

    @property
    def actions(self) -> list[list[str]]:
        """All returned values, as text for comparison."""
        return [[repr(action) for action in step] for step in self.returned]

    @property
    def flat_actions(self) -> list[list[str]]:
        """The actions as flat indices would express them: a vibe change wins over noop."""
        return [[_flat_name(action) for action in step] for step in self.returned]


def agents_of(policy: MultiAgentPolicy, num_agents: int) -> list[AgentPolicy]:
    """Return a freshly reset policy for each agent; raise `TrialFailure` if there is none."""
    agents = []
    for agent_id in range(num_agents):
        place = f"agent {agent_id}"
        try:
            agent = policy.agent_policy(agent_id)
        except Exception as error:  # third-party code, which may fail in any way
            _fail(PolicyProblemKind.AGENT_POLICY, place, f"agent_policy raises {_error_text(error)}", "Make it work.")
        if not isinstance(agent, AgentPolicy):
            message = f"agent_policy({agent_id}) returns a {type(agent).__name__}."
            _fail(PolicyProblemKind.AGENT_POLICY, place, message, "Return an AgentPolicy for every agent.")
        try:
            agent.reset()
        except Exception as error:  # as above
            _fail(PolicyProblemKind.RESET, place, f"reset() raises {_error_text(error)}", "Make it work.")
        agents.append(agent)
    return agents


def ask(agent: AgentPolicy, obs: AgentObservation, step: int) -> Any:
    """Return what the agent's policy returns for an observation."""
    try:
        return agent.step(obs)
    except Exception as error:  # as above
        place = f"agent {obs.agent_id}, step {step}"
        _fail(PolicyProblemKind.CRASH, place, f"It raises {_error_text(error)}", "Handle every observation.")


def ask_for_batch(policy: MultiAgentPolicy, record: Record) -> list[list[str]]:
    """Return the names of the actions that `step_batch` writes for recorded observations."""
    names = policy.policy_env_info.all_action_names
    chosen = []
    for step, raw in enumerate(record.raw_observations):
        actions = np.full(record.num_agents, -1, np.int32)
        try:
            policy.step_batch(raw.copy(), actions)
        except Exception as error:  # as above
            message = f"step_batch raises {_error_text(error)}"
            _fail(PolicyProblemKind.BATCH, f"step {step}", message, "Leave it out, or make it work.")
        wrong = [number for number in actions.tolist() if not 0 <= number < len(names)]
        if wrong:
            message = f"step_batch writes {wrong[0]}; actions are from 0 to {len(names) - 1}."
            _fail(PolicyProblemKind.BATCH, f"step {step}", message, "Write positions in all_action_names.")
        chosen.append([names[number] for number in actions])
    return chosen


def play(policy: MultiAgentPolicy, config: MettaGridConfig, seed: int, steps: int) -> Record:
    """Play the first steps of an episode; invalid actions are replaced by noop."""
    simulation = Simulation(config, seed=seed)
    try:
        record = Record(simulation.num_agents)
        agents = agents_of(policy, simulation.num_agents)
        drawn = _generator_states()
        for step in range(steps):
            if simulation.is_done():
                break
            observations = simulation.observations()
            record.observations.append(observations)
            record.raw_observations.append(simulation._c_sim.observations().copy())
            returned = []
            for agent_id, agent in enumerate(agents):
                start = time.perf_counter()
                returned.append(ask(agent, observations[agent_id], step))
                record.slowest_ms = max(record.slowest_ms, 1000 * (time.perf_counter() - start))
                _apply(simulation, agent_id, returned[-1])
            record.returned.append(returned)
            record.infos.append([agent.infos for agent in agents])
            simulation.step()
        record.draws_from_shared_generators = drawn != _generator_states()
        return record
    finally:
        simulation.close()


def replay(policy: MultiAgentPolicy, record: Record, agents: Sequence[int] | None = None) -> list[list[str]]:
    """Return the policy's actions, as text, for recorded observations of some agents."""
    policies = agents_of(policy, record.num_agents)
    agent_ids = range(record.num_agents) if agents is None else agents
    return [
        [repr(ask(policies[agent_id], observations[agent_id], step)) for agent_id in agent_ids]
        for step, observations in enumerate(record.observations)
    ]


def check_actions(record: Record, info: PolicyEnvInterface, max_action_time_ms: float) -> list[Problem]:
    """Return the first wrong action of each kind, infos that cannot be written as JSON, and slowness."""
    problems: dict[str, Problem] = {}
    for step, returned in enumerate(record.returned):
        for agent_id, action in enumerate(returned):
            wrong = _wrong_action(action, info)
            if wrong is not None:
                place = f"agent {agent_id}, step {step}"
                message, fix = wrong
                problems.setdefault(message, Problem(PolicyProblemKind.ACTION, place, message, fix))
            infos = record.infos[step][agent_id]
            if not _is_json_object(infos):
                message = "`infos` cannot be written as JSON."
                fix = "Keep numbers, texts, lists and dictionaries with text keys in it."
                place = f"agent {agent_id}, step {step}"
                problems.setdefault(message, Problem(PolicyProblemKind.INFOS, place, message, fix, is_warning=True))
    if record.slowest_ms > max_action_time_ms:
        message = f"The slowest step took {record.slowest_ms:.0f} ms; {max_action_time_ms:.0f} ms are allowed."
        problems["slow"] = Problem(PolicyProblemKind.SLOW, "step", message, "Do less in a step.", is_warning=True)
    return list(problems.values())


def check_odd_observations(make: Callable[[], MultiAgentPolicy], info: PolicyEnvInterface) -> list[Problem]:
    """Try unlikely observations: one without tokens, and one with as many tokens as possible."""
    problems = []
    for name, tokens in (("an empty observation", []), ("a full observation", _full_observation(info))):
        try:
            agent = agents_of(make(), 1)[0]
            ask(agent, AgentObservation(agent_id=0, tokens=tokens), 0)
        except TrialFailure as failure:
            fix = "Expect any number of tokens, in any order."
            problems.append(
                Problem(PolicyProblemKind.ODD_OBSERVATION, name, failure.problem.message, fix, is_warning=True)
            )
    return problems


def _full_observation(info: PolicyEnvInterface) -> list[ObservationToken]:
    """Return an observation that cycles through all features and cells with the largest value, plus global tokens."""
    count = info.observation_shape[0] if info.obs_features else 0
    cells = [row << 4 | col for row in range(info.obs_height) for col in range(info.obs_width)] + [0xFE]
    tokens = []
    for number in range(count):
        feature = info.obs_features[number % len(info.obs_features)]
        value = len(info.tags) - 1 if feature.name == "tag" and info.tags else 255
        cell = cells[number % len(cells)]
        tokens.append(ObservationToken(feature=feature, value=value, raw_token=(cell, feature.id, value)))
    return tokens


def _wrong_action(action: object, info: PolicyEnvInterface) -> tuple[str, str] | None:
    """Return what is wrong with the return value of `step` and how to fix it, or None."""
    if not isinstance(action, Action):
        return f"step returns a {type(action).__name__}.", "Return an Action."
    if action.name not in info.action_name_to_flat_index:
        return f"There is no action {action.name!r}.", "Take one of policy_env_info.all_action_names."
    if action.vibe is not None and action.vibe not in info.vibe_action_names:
        return f"There is no vibe action {action.vibe!r}.", "Take one of policy_env_info.vibe_action_names."
    if action.talk is not None and not info.talk.enabled:
        return "It talks, and this game has no talk.", "Look at policy_env_info.talk.enabled."
    if action.talk is not None and not 0 < len(action.talk) <= info.talk.max_length:
        return f"It says {len(action.talk)} characters.", f"Say from 1 to {info.talk.max_length}."
    return None


def _apply(simulation: Simulation, agent_id: int, action: object) -> None:
    known = simulation.action_ids
    if not isinstance(action, Action) or action.name not in known:
        action = Action(name="noop") if "noop" in known else Action(name=next(iter(known)))
    vibe = action.vibe if action.vibe in simulation.vibe_action_ids else None
    simulation.agent(agent_id).set_action(Action(name=action.name, vibe=vibe))


def _flat_name(action: object) -> str:
    if not isinstance(action, Action):
        return repr(action)
    return action.vibe if action.vibe is not None and action.name == "noop" else action.name


def _is_json_object(infos: object) -> bool:
    try:
        json.dumps(infos, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return isinstance(infos, dict)


def _generator_states() -> str:
    return repr((random.getstate(), np.random.get_state(legacy=False)))


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).rstrip('.')}."


def _fail(kind: PolicyProblemKind, place: str, message: str, fix: str) -> NoReturn:
    raise TrialFailure(Problem(kind, place, message, fix)) from None
