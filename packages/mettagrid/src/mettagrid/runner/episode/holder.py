"""The interface between the runner and a policy, which runs in this process or behind a socket."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.runner.episode.outcome import PolicyTimings
    from mettagrid.runner.episode.table import SharedTable

__all__ = ["PolicySource", "SeatHolder", "Seats"]


@dataclass
class Seats:
    """The part of the episode that a policy plays."""

    policy_index: int
    policy_name: str
    agent_ids: Sequence[int]
    interface: PolicyEnvInterface
    episode_id: str
    table: SharedTable
    timings: PolicyTimings
    patience_ms: int | None = None
    answer_budget_s: float | None = None


@runtime_checkable
class PolicySource(Protocol):
    """A policy that can be opened for an episode. Sources are picklable.

    A `PolicySpec` in a plan means an `InProcess` policy.
    """

    @property
    def name(self) -> str: ...

    def open(self) -> SeatHolder:
        """Return a holder for one episode; processes are started here or in `prepare`."""
        ...


class SeatHolder(ABC):
    """One policy in one episode.

    The runner calls `prepare`, `start`, then `ask` once per step, and `close`. A holder that cannot answer at once has
    `fileno` and is polled while other policies compute. When an answer is complete and in time, the holder writes the
    actions of its seats to the table; seats it does not write do nothing in that step. Every method may raise
    `PolicyFailure`, or `MachineFault`, which ends the episode without any verdict.
    """

    minimum_action_timeout_ms: int = 0
    #: The isolation level of the policy's box, or None without a box.
    isolation: str | None = None
    #: Whether the policy may draw from the generators that all code in this process shares.
    shares_generators: bool = False

    @abstractmethod
    def prepare(self, seats: Seats) -> None:
        """Begin to create the policy."""

    @abstractmethod
    def start(self, limit_ms: int) -> None:
        """Start the episode; each step may take `limit_ms`."""

    @abstractmethod
    def ask(self, step: int) -> None:
        """Begin to choose actions for the observations on the table."""

    def poll(self) -> bool:
        """Process the data that has arrived, without waiting. Return True once the pending operation is done."""
        return True

    def fileno(self) -> int | None:
        """Return the file descriptor to poll, or None for a holder that is always done."""
        return None

    @property
    def wants_to_write(self) -> bool:
        """Return whether to wait until `fileno` is writable as well."""
        return False

    @property
    def deadline(self) -> float:
        """Return when to stop waiting, by the table's clock in seconds; only used while `poll` returns False."""
        return 0.0

    def give_up(self, step: int) -> None:  # noqa: B027 - nothing to do for holders that are always done
        """Give up on this step because the deadline has passed: the seats do nothing."""

    def machine_fault(self) -> str | None:
        """Return the fault of this machine that may have made the policy fail, or None."""
        return None

    def last_words(self) -> str:
        """Return the traceback of a failed policy, or the end of its output; called before `close`."""
        return ""

    @abstractmethod
    def close(self) -> None:
        """Release the policy at the end of its episode; never raises."""


def infos_or_none(infos: object) -> Mapping[str, Any] | None:
    """Return the infos of a policy if they are a mapping, else None."""
    return infos if type(infos) is dict or isinstance(infos, Mapping) else None  # the type check is a fast path
