"""`check_policy`: list everything that is wrong with a policy."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from mettagrid.checks.problems import BadPolicy, PolicyProblemKind, Problem
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy._trials import (
    Record,
    TrialFailure,
    ask_for_batch,
    check_actions,
    check_odd_observations,
    play,
    replay,
)
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["BadPolicy", "PolicyProblemKind", "Problem", "check_policy", "refuse_bad_policy"]

_STEPS = 40
_MAX_ACTION_TIME_MS = 10_000.0

CheckedPolicy = PolicySpec | MultiAgentPolicy | type[MultiAgentPolicy] | str


def check_policy(
    policy: CheckedPolicy,
    env: MettaGridConfig | None = None,
    *,
    seed: int = 0,
    steps: int = _STEPS,
    max_action_time_ms: float = _MAX_ACTION_TIME_MS,
) -> list[Problem]:
    """Return all problems of a policy; an empty list if there are none.

    `policy` is a description, a class, an object (which is copied and not changed), or a string: a short name, a class
    path, a path or a URI. `env` is the game it has to play, by default a small empty room with four agents.

    The policy is constructed, stepped for all agents for `steps` steps, reset and stepped again. Then it gets the same
    observations once more: for all agents, for one alone, and as a batch if it has `step_batch`; and observations that
    are empty or full. Its output is captured, and the shared random generators are restored.

    Errors come first, warnings last. `refuse_bad_policy` raises instead.
    """
    config = _small_game() if env is None else env.model_copy(deep=True)
    printed = StringIO()
    with _generators_restored(), redirect_stdout(printed):
        problems = _check(policy, config, seed, steps, max_action_time_ms)
    if printed.getvalue().strip():
        first = printed.getvalue().strip().splitlines()[0]
        problems.append(
            Problem(
                PolicyProblemKind.PRINTS,
                "standard output",
                f"It prints, for example {first[:60]!r}.",
                "Write to standard error or use logging.",
                is_warning=True,
            )
        )
    return sorted(problems, key=lambda problem: problem.is_warning)


def refuse_bad_policy(
    policy: CheckedPolicy, env: MettaGridConfig | None = None, *, seed: int = 0, strict: bool = False
) -> None:
    """Raise `BadPolicy` if `check_policy` finds an error; with `strict` also for warnings."""
    problems = [problem for problem in check_policy(policy, env, seed=seed) if strict or not problem.is_warning]
    if problems:
        raise BadPolicy(_label_of(policy), problems)


def _check(
    policy: CheckedPolicy, config: MettaGridConfig, seed: int, steps: int, max_action_time_ms: float
) -> list[Problem]:
    info = PolicyEnvInterface.from_mg_cfg(config)
    try:
        spec, make = _maker(policy, info, seed)
        first = make()
    except Exception as error:  # third-party code, which may fail in any way
        message = f"It cannot be made: {type(error).__name__}: {str(error).rstrip('.')}."
        fix = "Give it an __init__(self, policy_env_info, device='cpu', ...) that works for any game."
        if isinstance(error, ImportError | FileNotFoundError):
            fix = "Correct the name, or install what is missing."
        return [Problem(PolicyProblemKind.LOAD, "construction", message, fix)]
    try:
        record = play(first, config, seed, steps)
    except TrialFailure as failure:
        return [failure.problem]
    problems = check_actions(record, info, max_action_time_ms)
    problems += _check_second_episode(first, config, seed, steps)
    problems += _check_repetition(make, record, takes_seed="seed" in (spec.init_kwargs if spec is not None else {}))
    problems += check_odd_observations(make, info)
    return problems


def _check_second_episode(policy: MultiAgentPolicy, config: MettaGridConfig, seed: int, steps: int) -> list[Problem]:
    """Reset and play again, with different random numbers."""
    try:
        policy.reset()
        play(policy, config, seed + 1, min(steps, 10))
    except TrialFailure as failure:
        place = f"second episode, {failure.problem.place}"
        fix = "Start every episode afresh in reset()."
        return [Problem(PolicyProblemKind.RESET, place, failure.problem.message, fix)]
    except Exception as error:  # third-party code, which may fail in any way
        message = f"reset() raises {type(error).__name__}: {str(error).rstrip('.')}."
        return [Problem(PolicyProblemKind.RESET, "second episode", message, "Start every episode afresh in reset().")]
    return []


def _check_repetition(make: Callable[[], MultiAgentPolicy], record: Record, *, takes_seed: bool) -> list[Problem]:
    """Repeat the same observations: for all agents, for one alone, and as a batch."""
    try:
        again = replay(make(), record)
        if again != record.actions:
            return [_not_repeatable(record.actions, again, takes_seed)]
        problems = []
        if record.num_agents > 1 and not record.draws_from_shared_generators:
            problems += _compare_alone(replay(make(), record, agents=[0]), record, make())
        policy = make()
        if type(policy).step_batch is not MultiAgentPolicy.step_batch:
            problems += _compare_batch(ask_for_batch(policy, record), record)
        return problems
    except TrialFailure as failure:
        return [failure.problem]


def _not_repeatable(first: list[list[str]], second: list[list[str]], takes_seed: bool) -> Problem:
    step = next(step for step in range(len(first)) if first[step] != second[step])
    return Problem(
        PolicyProblemKind.NOT_REPEATABLE,
        f"step {step}",
        "Shown the same observations with the same seeds, it acts differently.",
        "Draw from a generator seeded in __init__, and depend on no clock, id or order of a set.",
        is_warning=not takes_seed,
    )


def _compare_alone(alone: list[list[str]], record: Record, policy: MultiAgentPolicy) -> list[Problem]:
    different = [step for step, actions in enumerate(alone) if actions[0] != record.actions[step][0]]
    if not different:
        return []
    one_object = policy.agent_policy(0) is policy.agent_policy(1)
    cause = "agent_policy() returns one object for all agents" if one_object else "something is shared"
    return [
        Problem(
            PolicyProblemKind.SHARED_STATE,
            f"agent 0, step {different[0]}",
            f"It acts differently when the other agents play too: {cause}.",
            "Keep what an agent remembers in its own object, unless the agents are meant to work together.",
            is_warning=True,
        )
    ]


def _compare_batch(batch: list[list[str]], record: Record) -> list[Problem]:
    for step, (given, expected) in enumerate(zip(batch, record.flat_actions, strict=True)):
        for agent, (chosen, other) in enumerate(zip(given, expected, strict=True)):
            if chosen != other:
                return [
                    Problem(
                        PolicyProblemKind.BATCH,
                        f"agent {agent}, step {step}",
                        f"step_batch chooses {chosen} and step chooses {other}.",
                        "Let one be written with the other.",
                    )
                ]
    return []


def _maker(
    policy: CheckedPolicy, info: PolicyEnvInterface, seed: int
) -> tuple[PolicySpec | None, Callable[[], MultiAgentPolicy]]:
    """Return a function that creates the policy with all generators seeded, and the description it is created from."""
    if isinstance(policy, MultiAgentPolicy):
        return None, _seeded(lambda: copy.deepcopy(policy), seed)
    if isinstance(policy, type):
        policy_class: Any = policy
        return None, _seeded(lambda: policy_class(info), seed)
    spec = _spec_of(policy)
    return spec, _seeded(lambda: initialize_or_load_policy(info, spec), seed)


def _seeded(make: Callable[[], MultiAgentPolicy], seed: int) -> Callable[[], MultiAgentPolicy]:
    def seed_and_make() -> MultiAgentPolicy:
        random.seed(seed)
        np.random.seed(seed)
        torch = sys.modules.get("torch")  # only a policy that imported it can draw from it
        if torch is not None:
            torch.manual_seed(seed)
        return make()

    return seed_and_make


@contextmanager
def _generators_restored() -> Iterator[None]:
    """Restore the shared random generators afterwards."""
    python_state, numpy_state = random.getstate(), np.random.get_state()
    torch = sys.modules.get("torch")
    torch_state = None if torch is None else torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
        if torch is not None:
            torch.set_rng_state(torch_state)


def _spec_of(policy: PolicySpec | str) -> PolicySpec:
    if isinstance(policy, PolicySpec):
        return policy
    if "://" in policy or "/" in policy or policy.startswith((".", "~")) or policy.endswith(".zip"):
        from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

        return policy_spec_from_uri(policy)
    return PolicySpec(class_path=policy)


def _small_game() -> MettaGridConfig:
    return MettaGridConfig.EmptyRoom(num_agents=4, width=12, height=12, with_walls=True)


def _label_of(policy: CheckedPolicy) -> str:
    if isinstance(policy, str):
        return policy
    if isinstance(policy, PolicySpec):
        return policy.name
    return policy.__name__ if isinstance(policy, type) else type(policy).__name__
