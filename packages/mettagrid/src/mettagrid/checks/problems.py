"""The problems that checks report."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ProblemKind(StrEnum):
    """Kinds of problems of a mission. All but the last two prevent it from being played as intended."""

    CONFIG = "config"
    """data that is not a configuration: unknown keys, wrong types"""
    UNKNOWN_NAME = "unknown_name"
    """a resource, tag, vibe, object, ... that the game does not have; a warning where the engine ignores it"""
    RULES = "rules"
    """rules that cannot be played for another reason"""
    FEATURES = "features"
    """more observation features than there are ids"""
    TOKENS = "tokens"
    """more tokens than an observation has room for"""
    MAP = "map"
    """a map that cannot be built"""
    UNKNOWN_CELL = "unknown_cell"
    """a cell of the map with a name that no object has"""
    SPAWNS = "spawns"
    """agents without a place on the map"""
    STUCK_AGENT = "stuck_agent"
    """an agent that can neither move nor use anything"""
    UNREACHABLE = "unreachable"
    """usable objects that no agent can reach"""
    CRASH = "crash"
    """the first steps fail"""
    NEVER_PLACED = "never_placed"
    """an object that is neither on the map nor created by a rule; always a warning"""
    NO_EFFECT = "no_effect"
    """a name or setting without effect; always a warning"""


class PolicyProblemKind(StrEnum):
    """Kinds of problems of a policy. The first five prevent it from being played; most others are warnings."""

    LOAD = "load"
    """the class cannot be found or constructed, or its weights cannot be loaded"""
    AGENT_POLICY = "agent_policy"
    """an agent for which there is no `AgentPolicy`"""
    CRASH = "crash"
    """a step that raises"""
    ACTION = "action"
    """a returned value that is not an action of the game"""
    RESET = "reset"
    """a second episode that cannot be played"""
    BATCH = "batch"
    """`step_batch` disagrees with the agents' `step`"""
    NOT_REPEATABLE = "not_repeatable"
    """actions that differ although everything is seeded; a warning unless the policy takes a seed"""
    SHARED_STATE = "shared_state"
    """an agent that acts differently when other agents play too; always a warning"""
    ODD_OBSERVATION = "odd_observation"
    """an empty or a full observation that raises; always a warning"""
    INFOS = "infos"
    """`infos` that cannot be written as JSON; always a warning"""
    SLOW = "slow"
    """a step that took longer than is allowed; always a warning"""
    PRINTS = "prints"
    """text on standard output, where commands write their results; always a warning"""


@dataclass(frozen=True)
class Problem:
    """One problem: its place, a message, and how to fix it.

    `place` is a path inside the configuration, such as `game.objects.chest.on_use_handler.filters[0]`, or a moment in
    the test of a policy, such as `agent 0, step 3`. A warning is something that is probably unintended but can be
    played.
    """

    kind: ProblemKind | PolicyProblemKind
    place: str
    message: str
    fix: str
    is_warning: bool = False

    def __str__(self) -> str:
        word = "warning: " if self.is_warning else ""
        return f"{word}{self.place}: {self.message} {self.fix}".rstrip()


class BadMission(ValueError):
    """A mission with problems; the message has one line for each, `problems` the list."""

    def __init__(self, label: str, problems: Sequence[Problem]) -> None:
        super().__init__(_listing(f"The mission {label!r}", problems))
        self.problems = list(problems)


class BadPolicy(ValueError):
    """A policy with problems; the message has one line for each, `problems` the list."""

    def __init__(self, label: str, problems: Sequence[Problem]) -> None:
        super().__init__(_listing(f"The policy {label!r}", problems))
        self.problems = list(problems)


def _listing(subject: str, problems: Sequence[Problem]) -> str:
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return "\n".join([f"{subject} has {count}:", *(f"  {problem}" for problem in problems)])
