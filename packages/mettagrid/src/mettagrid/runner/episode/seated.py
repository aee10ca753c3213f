"""The policies of an episode, whatever its game: load them, ask them, time them, judge them."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mettagrid.runner.episode.errors import MachineFault, PolicyFailure, PolicyLoadError
from mettagrid.runner.episode.generators import episode_id
from mettagrid.runner.episode.holder import SeatHolder, Seats
from mettagrid.runner.episode.in_process import InProcess, InProcessHolder
from mettagrid.runner.episode.outcome import EpisodeOutcome, EpisodeTimings, PolicyTimings, Verdict
from mettagrid.runner.episode.waiting import Waiting
from mettagrid.simulator._action_times import ActionTimes

if TYPE_CHECKING:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.replay import BackgroundWriter
    from mettagrid.runner.episode.plan import EpisodePlan
    from mettagrid.runner.episode.table import SharedTable

__all__ = ["NO_POLICY", "SeatedEpisode"]

logger = logging.getLogger("mettagrid.runner.episode")

NO_POLICY = -1


class SeatedEpisode(ABC):
    """One episode in progress. A subclass has the game, sets `_table` when it is created, and plays the steps."""

    _table: SharedTable

    def __init__(
        self,
        plan: EpisodePlan,
        *,
        clock: Callable[[], float],
        turn: Callable[[int], None],
        warned: set[str] | None,
    ) -> None:
        self._began = time.perf_counter()
        self._plan = plan
        self._turn = turn
        self._warned = set() if warned is None else warned
        self._verdicts = dict(plan.barred)
        self._timings = EpisodeTimings(policies=[PolicyTimings() for _ in plan.policies])
        self._holders: dict[int, SeatHolder] = {}
        self._last_words: dict[int, str] = {}
        self._waiting = Waiting(clock)
        names = plan.names
        self._agent_names = [names[policy] for policy in plan.assignments]
        self._times = ActionTimes(
            self._agent_names, limit_ms=plan.max_action_time_ms, budget_ms=plan.overage_budget_ms, warned=self._warned
        )
        self._agents_of = {
            policy: [agent for agent, assigned in enumerate(plan.assignments) if assigned == policy]
            for policy in range(len(plan.policies))
        }

    @abstractmethod
    def play(self) -> None:
        """Play all steps."""

    @abstractmethod
    def outcome(self, background: BackgroundWriter | None) -> EpisodeOutcome:
        """Write the requested files and return the results; called once, after `play` and `close`."""

    @abstractmethod
    def _interface(self, index: int) -> PolicyEnvInterface:
        """Return the description of the game for a policy."""

    def _table_of(self, index: int) -> SharedTable:
        """Return the table of a policy; all of them share the actions."""
        return self._table

    def prepare(self) -> None:
        """Create all policies, those in other processes concurrently, and start them."""
        plan, names = self._plan, self._plan.names
        for index, policy in enumerate(plan.policies):
            if index in self._verdicts or not self._agents_of[index]:
                continue
            source = policy if hasattr(policy, "open") else InProcess(policy, plan.device)
            seats = Seats(
                policy_index=index,
                policy_name=names[index],
                agent_ids=self._agents_of[index],
                interface=self._interface(index),
                episode_id=episode_id(plan.seed if plan.policy_seed is None else plan.policy_seed, index),
                table=self._table_of(index),
                timings=self._timings.policies[index],
                patience_ms=plan.patience_ms,
                answer_budget_s=plan.answer_budget_s,
            )
            with self._policy_code(index, step=None):
                self._holders[index] = source.open()
                self._timings.policies[index].isolation = self._holders[index].isolation
                self._holders[index].prepare(seats)
        self._wait(step=None, deadline=self._table.clock() + plan.prepare_timeout_s)
        needed = [holder.minimum_action_timeout_ms for holder in self._holders.values()]
        self._times.limit_ms = max([self._times.limit_ms, *needed])
        for index, holder in list(self._holders.items()):
            with self._policy_code(index, step=0):
                holder.start(self._times.limit_ms)
        sharing = [holder for holder in self._holders.values() if holder.shares_generators]
        if len(sharing) == 1 and isinstance(sharing[0], InProcessHolder):
            sharing[0].keep_generators_in_place()
        self._timings.setup_ms = 1000 * (time.perf_counter() - self._began)

    def close(self) -> None:
        for index in list(self._holders):
            self._holders.pop(index).close()
        self._waiting.close()

    def _ask(self, step: int) -> None:
        """Ask all policies, those in other processes first, so that they compute while the ones in this process run."""
        must_wait = False
        for index, holder in list(self._holders.items()):
            if holder.fileno() is not None:
                must_wait = True
                with self._policy_code(index, step):
                    holder.ask(step)
        for index, holder in list(self._holders.items()):
            if holder.fileno() is None:
                self._turn(index)
                try:
                    holder.ask(step)
                except PolicyFailure as failure:
                    self._fail(index, failure, step)
        self._turn(NO_POLICY)
        if must_wait:
            self._wait(step)

    def _wait(self, step: int | None, deadline: float | None = None) -> None:
        for index, failure in self._waiting.until_done(self._holders, step, deadline):
            self._fail(index, failure, step)

    @contextmanager
    def _policy_code(self, index: int, step: int | None) -> Iterator[None]:
        """Turn a failure of the policy code that runs inside into the policy's verdict."""
        self._turn(index)
        try:
            yield
        except PolicyFailure as failure:
            self._fail(index, failure, step)
        finally:
            self._turn(NO_POLICY)

    def _fail(self, index: int, failure: PolicyFailure, step: int | None) -> None:
        name = self._plan.names[index]
        holder = self._holders.pop(index, None)
        self._last_words[index] = failure.details
        if holder is not None:
            self._waiting.forget(index)
            fault = holder.machine_fault()
            self._last_words[index] = failure.details or holder.last_words()
            holder.close()
            if fault is not None:
                raise MachineFault(f"The machine failed while {name} played: {fault}")
        if step is None and self._plan.load_failure == "raise":
            cause = failure.__cause__
            error_type = failure.status if cause is None else type(cause).__name__
            last_words = self._last_words.get(index, "")
            raise PolicyLoadError(index, name, error_type, str(cause or failure.message), last_words) from cause
        self._verdicts[index] = Verdict(status=failure.status, message=failure.message, step=step)
        warning = f"{name} is out"  # once for all episodes; the verdicts count the rest
        level = logging.DEBUG if warning in self._warned else logging.WARNING
        self._warned.add(warning)
        when = "" if step is None else f" at step {step}"
        logger.log(level, "%s is out (%s%s): %s", name, failure.status, when, failure.message)
        if self._last_words.get(index):
            logger.debug("%s:\n%s", name, self._last_words[index])

    def _drop_disabled(self) -> None:
        for index, holder in list(self._holders.items()):
            ends = [self._times.exceeded_at[agent] for agent in self._agents_of[index]]
            if None not in ends:
                self._holders.pop(index)
                self._waiting.forget(index)
                holder.close()
                self._verdicts[index] = Verdict(
                    status="disabled",
                    message="used up its overage budget",
                    step=max(end for end in ends if end is not None),
                )

    def _verdict(self, index: int) -> Verdict:
        timeouts = sum(self._times.timeouts[agent] for agent in self._agents_of[index])
        verdict = self._verdicts.get(index) or Verdict(status="timed_out" if timeouts else "ok")
        return verdict.model_copy(update={"timeouts": timeouts})
