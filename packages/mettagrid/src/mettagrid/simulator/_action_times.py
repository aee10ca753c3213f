"""Enforce the time limit of actions and the overage budget."""

import logging
from collections.abc import Sequence

logger = logging.getLogger("mettagrid.simulator.rollout")

DEFAULT_LIMIT_MS = 10_000


class ActionTimes:
    """The answer times of one episode's agents.

    An answer that took longer than the limit is late: it counts as a timeout and is not used. With a budget, the time
    beyond the limit is charged to it; an agent that has used it up is disabled and is not asked again. The first late
    answer of each policy and every disabled agent cause a warning.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        limit_ms: int | None = DEFAULT_LIMIT_MS,
        budget_ms: int | None = None,
        warned: set[str] | None = None,
    ) -> None:
        """Start with full budgets. `names` are the names of the agents' policies; a limit of 0 or None is the default.

        `warned` are the names of policies that have caused a warning before; it is updated.
        """
        self.limit_ms = limit_ms or DEFAULT_LIMIT_MS
        self.timeouts = [0] * len(names)
        self.exceeded_at: list[int | None] = [None] * len(names)
        self._names = names
        self._budgets = None if budget_ms is None else [float(budget_ms)] * len(names)
        self._warned = set() if warned is None else warned

    @property
    def has_budget(self) -> bool:
        return self._budgets is not None

    def is_disabled(self, agent: int) -> bool:
        return self.exceeded_at[agent] is not None

    def budget_left(self, agent: int) -> float | None:
        """Return the milliseconds beyond the limit that the agent may still use, or None without a budget."""
        return None if self._budgets is None else self._budgets[agent]

    def accept(self, agent: int, elapsed_ms: float, step: int) -> bool:
        """Return whether an answer that took this long is in time; if not, record the miss."""
        if elapsed_ms <= self.limit_ms:
            return True
        self.miss(agent, f"took {elapsed_ms:.0f} ms")
        self.charge(agent, elapsed_ms - self.limit_ms, step)
        return False

    def miss(self, agent: int, how: str) -> None:
        """Count a step without a valid answer."""
        self.timeouts[agent] += 1
        name = self._names[agent]
        if name not in self._warned:
            self._warned.add(name)
            logger.warning(
                "An action of %s %s; the limit is %d ms. The agent does nothing in such a step; "
                "later ones are counted without a warning",
                name,
                how,
                self.limit_ms,
            )

    def charge(self, agent: int, overage_ms: float, step: int) -> None:
        """Charge time to an agent's budget, and disable the agent once it is used up."""
        if self._budgets is None:
            return
        self._budgets[agent] -= overage_ms
        if self._budgets[agent] <= 0 and self.exceeded_at[agent] is None:
            self.exceeded_at[agent] = step
            logger.warning(
                "Agent %d (%s) disabled at step %d: its overage budget is used up", agent, self._names[agent], step
            )
