"""What decided an episode: `explanation.json` of a job, and the response about a match."""

from __future__ import annotations

from softmax.wire.base import Nullable, ResponseModel

__all__ = [
    "ActionCounts",
    "Difference",
    "ExplainedPolicy",
    "ExplainedTeam",
    "Explanation",
    "LogPlace",
    "MatchExplanation",
    "Moment",
    "PolicyFailure",
]


class ActionCounts(ResponseModel):
    """The steps of a policy's agents, summed. A number is null where the replay does not record it."""

    steps: int
    """agents times steps"""
    idle: int
    """no action requested, without the missed deadlines"""
    blocked: Nullable[int] = None
    """moves that an obstacle stopped"""
    failed: Nullable[int] = None
    """other actions without effect"""
    missed: Nullable[int] = None
    """answers after the deadline"""
    cells: Nullable[int] = None
    """different cells that its agents stood on, summed over the agents"""


class ExplainedTeam(ResponseModel):
    """A team, and how many objects it held at each of the sampled steps."""

    name: str
    agents: list[int]
    held: list[int]


class ExplainedPolicy(ResponseModel):
    """A policy in an episode. Lists have a value for each of the sampled steps and count from the beginning."""

    name: str
    agents: list[int]
    status: str
    """`ok`, `timed_out`, `disabled`, `crashed`, `protocol_error` or `killed`"""
    failed_step: Nullable[int] = None
    reward: list[float]
    """mean of its agents"""
    taken: list[int]
    """objects that its agents took for their team"""
    hearts: Nullable[list[int]] = None
    deaths: Nullable[list[int]] = None
    counts: ActionCounts


class Moment(ResponseModel):
    """A turning point. `tick` is where to look in the replay."""

    tick: int
    kind: str
    """`capture`, `loss`, `lead`, `death`, `heart`, `idle`, `blocked`, `deadline`, `failure` or `reward`; in BitWorld
    games also a kind of its events, such as `kill` or `win`"""
    text: str
    policy: Nullable[int] = None
    """position in `policies`"""
    team: Nullable[int] = None
    """position in `teams`"""


class Difference(ResponseModel):
    """A rate in which a policy differs much from another one, or from all others where there are several."""

    measure: str
    policy: int
    other: Nullable[int] = None
    """null: the mean of all other agents"""
    value: float
    other_value: float
    text: str


class Explanation(ResponseModel):
    """What happened in an episode, from its replay. The same episode gives the same document."""

    version: int
    steps: int
    max_steps: int
    ticks: list[int]
    """the sampled steps"""
    held_name: Nullable[str] = None
    """plural of the objects that teams hold, such as `junctions`; null in games without such objects"""
    teams: list[ExplainedTeam]
    policies: list[ExplainedPolicy]
    shared_reward: bool
    """all agents had the same reward, so that policies are partners"""
    summary: list[str]
    """sentences about the whole episode"""
    moments: list[Moment]
    """in order of time"""
    differences: list[Difference]
    """the largest first"""


class LogPlace(ResponseModel):
    """The place in the log of a policy that shows its failure."""

    agent: int
    """the log is that of this agent"""
    line: int
    """from 1"""
    lines: list[str]


class PolicyFailure(ResponseModel):
    """A policy of a match that did not play to the end or missed deadlines."""

    policy_index: int
    name: str
    status: str
    step: Nullable[int] = None
    missed_deadlines: int
    message: Nullable[str] = None
    """what the worker reported, public"""
    log: Nullable[LogPlace] = None
    """for the owner of the policy only"""


class MatchExplanation(ResponseModel):
    """What decided a match."""

    explanation: Nullable[Explanation] = None
    why_not: Nullable[str] = None
    """why there is no explanation, as a sentence"""
    failures: list[PolicyFailure]
