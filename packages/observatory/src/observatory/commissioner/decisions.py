"""The commissioner's decisions. Each has a reason: a sentence for users."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from observatory.job_states import Priority

__all__ = [
    "Complete",
    "Decision",
    "Decisions",
    "EndTeam",
    "Join",
    "Leave",
    "NewMatch",
    "NewTeam",
]


@dataclass(frozen=True)
class NewMatch:
    """Play a game. `seats` holds for each agent a position in `policies`; `split_index` and `sample` give its seeds."""

    pool: str
    combination: str
    repetition: int
    sample: int
    policies: tuple[uuid.UUID, ...]
    seats: tuple[int, ...]
    why: str
    match_type: str
    split_index: int = 0
    priority: int = Priority.REST
    picked: int | None = None
    """position of the policy for which the match is scheduled"""
    team: uuid.UUID | None = None


@dataclass(frozen=True)
class Join:
    """A policy enters a pool."""

    pool: str
    policy: uuid.UUID
    why: str


@dataclass(frozen=True)
class Leave:
    """A policy is retired from a pool."""

    pool: str
    policy: uuid.UUID
    why: str


@dataclass(frozen=True)
class NewTeam:
    """A team enters a pool, drawn or copied from its parent."""

    pool: str
    position: int
    members: tuple[uuid.UUID, ...]
    parent: uuid.UUID | None = None
    score: float | None = None


@dataclass(frozen=True)
class EndTeam:
    """A team has played its round."""

    team: uuid.UUID
    score: float | None
    eliminated: bool
    why: str | None


@dataclass(frozen=True)
class Complete:
    """The season has its final table."""

    why: str


Decision = NewMatch | Join | Leave | NewTeam | EndTeam | Complete


@dataclass(frozen=True)
class Decisions:
    """The steps to take now, and why there are no more of them."""

    steps: tuple[Decision, ...] = ()
    why: str = ""

    @property
    def matches(self) -> list[NewMatch]:
        return [step for step in self.steps if isinstance(step, NewMatch)]
