"""Where a policy lives while an episode is played: in this process, or behind a socket."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.runner.episode.outcome import PolicyTimings
    from mettagrid.runner.episode.table import Table

__all__ = ["PolicySource", "SeatHolder", "Seats"]


@dataclass
class Seats:
    """What a holder is told about its policy's place in the episode."""

    policy_index: int
    policy_name: str
    agent_ids: Sequence[int]
    interface: PolicyEnvInterface
    episode_id: str
    table: Table
    timings: PolicyTimings
    patience_ms: int | None = None
    answer_budget_s: float | None = None


@runtime_checkable
class PolicySource(Protocol):
    """A policy that can be opened for an episode; it can be sent to another process.

    A `PolicySpec` in a plan stands for an `InProcess` policy.
    """

    @property
    def name(self) -> str: ...

    def open(self) -> SeatHolder:
        """A holder for one episode; whatever must be started is started here or in `prepare`."""
        ...


class SeatHolder(ABC):
    """One policy in one episode.

    The runner calls `prepare`, `start`, then `ask` once per step, and `close`. A holder that cannot answer at once has
    `fileno` and is polled while others think. When an answer is complete and in time, the holder writes the actions of
    its seats to the table; seats it does not write do nothing in that step. Every method may raise `PolicyFailure`, or
    `MachineFault`, which ends the episode without a verdict on anybody.
    """

    minimum_action_timeout_ms: int = 0
    #: The level of the box that the policy is in, where it is in one.
    isolation: str | None = None
    #: Whether the policy may draw from the generators that all code in this process shares.
    shares_generators: bool = False

    @abstractmethod
    def prepare(self, seats: Seats) -> None:
        """Begin to make the policy."""

    @abstractmethod
    def start(self, limit_ms: int) -> None:
        """The episode begins; each step may take this long."""

    @abstractmethod
    def ask(self, step: int) -> None:
        """Begin to choose actions for the observations on the table."""

    def poll(self) -> bool:
        """Take what has arrived, without waiting. True when what was begun is done."""
        return True

    def fileno(self) -> int | None:
        """What becomes readable when `poll` may return True; None for a holder that is always done."""
        return None

    @property
    def wants_to_write(self) -> bool:
        """Whether to wait until `fileno` can be written to as well."""
        return False

    @property
    def deadline(self) -> float:
        """When to stop waiting, by the table's clock in seconds; only asked while `poll` is False."""
        return 0.0

    def give_up(self, step: int) -> None:  # noqa: B027 - nothing to do for holders that are always done
        """The deadline has passed: the seats do nothing in this step."""

    def machine_fault(self) -> str | None:
        """Asked when the policy has failed: what is wrong with this machine, if that may be why."""
        return None

    def last_words(self) -> str:
        """Asked when the policy has failed, before it is closed: its traceback, or the end of what it printed."""
        return ""

    @abstractmethod
    def close(self) -> None:
        """The episode is over for this policy; never raises."""


def infos_or_none(infos: object) -> Mapping[str, Any] | None:
    """What a policy shows, when it is a mapping."""
    return infos if type(infos) is dict or isinstance(infos, Mapping) else None  # asking for the type is quicker
