"""A policy in this process, for trusted code. It cannot be interrupted; a late answer is noticed when it arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.runner.author_traceback import author_traceback
from mettagrid.runner.episode.errors import PolicyFailure, describe
from mettagrid.runner.episode.generators import GlobalGenerators, import_policy_code, policy_seed
from mettagrid.runner.episode.holder import SeatHolder, Seats, infos_or_none
from mettagrid.runner.policy_server.raw import chat_messages

if TYPE_CHECKING:
    from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.types import Action

__all__ = ["InProcess"]

EMPTY_TOKEN = 255

# Cached policies whose class says `reusable = True`, by their spec; removed while they play.
_idle: dict[tuple[str, str], MultiAgentPolicy] = {}


@dataclass(frozen=True)
class InProcess:
    """A policy created from its spec for each episode, or once per process if its class says `reusable = True`.

    Such a class promises that a policy plays like a new one after `reset()`.
    """

    spec: PolicySpec
    device: str | None = None

    @property
    def name(self) -> str:
        return self.spec.name

    def open(self) -> SeatHolder:
        return InProcessHolder(self._make, key=self._key, before=lambda: import_policy_code(self.spec))

    def _make(self, seats: Seats) -> MultiAgentPolicy:
        from mettagrid.policy.loader import initialize_or_load_policy

        idle = _idle.pop(self._key(seats), None)
        if idle is not None:
            idle.reset()
            return idle
        return initialize_or_load_policy(seats.interface, self.spec, self.device)

    def _key(self, seats: Seats) -> tuple[str, str]:
        source = f"{self.spec.model_dump_json()} {self.spec.import_roots} {self.device}"
        return source, seats.interface.model_dump_json()


class InProcessHolder(SeatHolder):
    """Plays with a policy object.

    For a class with `supports_step_batch = True`, the holder calls `step_batch` once per step with arrays for all
    agents of the game: rows of other policies' agents hold no tokens, and actions written there are ignored. It does
    the same for every policy of a game with raw observations, where such rows are zero. If the class has
    `set_batch_agents(agent_ids)`, it receives the rows that matter. For other policies the holder calls `step_group`
    where available, else `step` agent by agent.
    """

    shares_generators = True

    def __init__(
        self,
        make: Callable[[Seats], MultiAgentPolicy],
        *,
        key: Callable[[Seats], tuple[str, str]] | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        """Policies with the same `key` are interchangeable when reused; `before` is called before the first seeding."""
        self._make = make
        self._key = key
        self._before = before
        self._generators: GlobalGenerators | None = None
        self._swaps_generators = True
        self._failed = False
        self._total_ms = self._slowest_ms = 0.0
        self._showing: set[int] = set()
        self._silent: list[dict[str, Any]] | None = None

    def prepare(self, seats: Seats) -> None:
        self._seats = seats
        self._generators = GlobalGenerators(policy_seed(seats.episode_id))
        began = time.perf_counter()
        if self._before is not None:
            self._before()
        with self._policy_code(own_generators=True):
            self._policy = self._make(seats)
            self.minimum_action_timeout_ms = int(self._policy.minimum_action_timeout_ms)
            self._is_raw = seats.interface.is_raw
            self._uses_batch = self._is_raw or getattr(self._policy, "supports_step_batch", False) is True
        seats.timings.load_ms = 1000 * (time.perf_counter() - began)

    def start(self, limit_ms: int) -> None:
        """Start the episode; also create and reset the agents' policies in agent order, even for batch policies."""
        table, agent_ids = self._seats.table, self._seats.agent_ids
        with self._policy_code(own_generators=True):
            self._policy.configure_action_timeout_ms(limit_ms)
            self._agents: list[tuple[int, AgentPolicy]] = []
            if not self._is_raw:
                self._agents = [(a, self._policy.agent_policy(a)) for a in agent_ids]
            for _, agent in self._agents:
                agent.reset()
            tell = getattr(self._policy, "set_batch_agents", None)
            if self._uses_batch and tell is not None:
                tell(list(agent_ids))
        self._silent = _fields_with_infos([agent for _, agent in self._agents])
        self._rows = np.array(agent_ids, np.intp)
        self._chosen = np.zeros(len(table.actions), np.int32)
        self._has_all_seats = len(agent_ids) == len(table.actions)
        empty = 0 if self._is_raw else EMPTY_TOKEN
        self._seen = table.observations if self._has_all_seats else np.full_like(table.observations, empty)
        self._flat_to_primary, self._flat_to_vibe = _flat_tables(self._seats)

    def keep_generators_in_place(self) -> None:
        """Leave this policy's generator state installed: no other policy in this process draws from the generators."""
        assert self._generators is not None
        self._generators.put_in_place()
        self._swaps_generators = False

    def ask(self, step: int) -> None:
        if self._uses_batch:
            self._ask_batch(step)
        else:
            with self._policy_code(own_generators=self._swaps_generators):
                chosen = self._ask_agents(step)
            self._write(chosen)

    def close(self) -> None:
        policy = getattr(self, "_policy", None)
        if policy is None:
            return
        self._seats.timings.total_ms, self._seats.timings.slowest_ms = self._total_ms, self._slowest_ms
        if self._failed or self._key is None:
            return
        if getattr(type(policy), "reusable", False) is True:
            _idle[self._key(self._seats)] = policy

    def _ask_batch(self, step: int) -> None:
        seats, rows = self._seats, self._rows
        table = seats.table
        if not self._has_all_seats:
            self._seen[rows] = table.observations[rows]
        chosen = self._chosen
        chosen.fill(0)
        with self._policy_code(own_generators=self._swaps_generators):
            began = table.clock()
            self._policy.step_batch(self._seen, chosen)
            elapsed_ms = 1000 * (table.clock() - began)
        self._keep_time(seats.agent_ids, step, began, elapsed_ms)
        mine = chosen if self._has_all_seats else chosen[rows]
        limit = len(self._flat_to_primary)
        if mine.min() < 0 or mine.max() >= limit:
            self._failed = True
            wrong = int(mine[(mine < 0) | (mine >= limit)][0])
            raise PolicyFailure("protocol_error", f"chose action number {wrong}; this game has 0 to {limit - 1}")
        if self._is_raw:
            self._pass_on_chat()
        if table.infos is not None:
            self._show_batch()
        if elapsed_ms > table.times.limit_ms:
            for agent in seats.agent_ids:
                table.times.accept(agent, elapsed_ms, step)
            return
        table.actions[rows] = self._flat_to_primary[mine]
        table.vibe_actions[rows] = self._flat_to_vibe[mine]

    def _pass_on_chat(self) -> None:
        """Ask a policy of a pixel game for texts; `bitworld_chat_messages` is optional."""
        seats = self._seats
        with self._policy_code(own_generators=self._swaps_generators):
            for agent, text in chat_messages(self._policy, seats.agent_ids):
                seats.table.say(agent, text, seats.policy_name)

    def _show_batch(self) -> None:
        showing = self._showing
        if not showing and self._silent is not None:
            for fields in self._silent:
                if fields.get("_infos"):
                    break
            else:
                return  # no agent has infos, and reading them runs no policy code
        with self._policy_code(own_generators=False):
            for agent, policy in self._agents:
                infos = policy.infos
                if infos or agent in showing:  # most agents never have infos
                    showing.add(agent)
                    self._seats.table.show(agent, infos_or_none(infos))

    def _ask_agents(self, step: int) -> list[tuple[int, Action]]:
        """Return the answers that arrived in time."""
        table = self._seats.table
        live = [(agent, policy) for agent, policy in self._agents if not table.times.is_disabled(agent)]
        if not live:
            return []
        first = live[0][1]
        if first.can_step_group([policy for _, policy in live]):
            return self._ask_group(step, first, [agent for agent, _ in live])
        chosen = []
        clock, observe, show = table.clock, table.observe, table.infos is not None
        for agent, policy in live:
            observation = observe(agent)
            began = clock()
            action = policy.step(observation)
            elapsed_ms = 1000 * (clock() - began)
            self._keep_time((agent,), step, began, elapsed_ms)
            if show:
                table.show(agent, infos_or_none(policy.infos))
            if table.times.accept(agent, elapsed_ms, step):
                chosen.append((agent, action))
        return chosen

    def _ask_group(self, step: int, first: AgentPolicy, live: list[int]) -> list[tuple[int, Action]]:
        table = self._seats.table
        observations = [(agent, table.observe(agent)) for agent in live]
        began = table.clock()
        actions = first.step_group(observations)
        elapsed_ms = 1000 * (table.clock() - began)
        self._keep_time(live, step, began, elapsed_ms)
        if len(actions) != len(live):
            message = f"step_group answered with {len(actions)} actions for {len(live)} agents"
            raise PolicyFailure("protocol_error", message)
        if table.infos is not None:
            tell: Any = getattr(first, "group_step_infos", None)
            step_infos = tell(live) if tell is not None else [None] * len(live)
            for agent, infos in zip(live, step_infos, strict=True):
                table.show(agent, infos_or_none(infos))
        in_time = [table.times.accept(agent, elapsed_ms, step) for agent in live]
        return [(agent, action) for agent, action, good in zip(live, actions, in_time, strict=True) if good]

    def _write(self, chosen: list[tuple[int, Action]]) -> None:
        """Write all actions, or none: one invalid answer disables the whole policy."""
        table = self._seats.table
        try:
            numbers = [table.numbers(action) for _, action in chosen]
        except PolicyFailure:
            self._failed = True
            raise
        for (agent, action), (primary, vibe) in zip(chosen, numbers, strict=True):
            table.actions[agent] = primary
            table.vibe_actions[agent] = vibe
            if action.talk is not None:
                table.say(agent, action.talk, self._seats.policy_name)

    def _keep_time(self, agents: Sequence[int], step: int, began: float, elapsed_ms: float) -> None:
        self._seats.table.trace(agents, step, began, elapsed_ms)
        self._total_ms += elapsed_ms
        if elapsed_ms > self._slowest_ms:
            self._slowest_ms = elapsed_ms

    @contextmanager
    def _policy_code(self, *, own_generators: bool) -> Iterator[None]:
        """Turn exceptions of the policy code that runs inside into the policy's verdict."""
        assert self._generators is not None
        try:
            if own_generators:
                with self._generators.in_place():
                    yield
            else:
                yield
        except PolicyFailure:
            self._failed = True
            raise
        except (Exception, SystemExit) as error:
            raise self._crash(error) from error

    def _crash(self, error: BaseException) -> PolicyFailure:
        self._failed = True
        return PolicyFailure("crashed", describe(error), author_traceback(error))


def _fields_with_infos(agents: Sequence[AgentPolicy]) -> list[dict[str, Any]] | None:
    """Return the attribute dictionaries that hold the agents' infos, or None unless all store them the usual way."""
    from mettagrid.policy.policy import AgentPolicy

    is_usual = all(getattr(type(agent), "infos", None) is AgentPolicy.infos for agent in agents)
    return [vars(agent) for agent in agents] if is_usual else None


def _flat_tables(seats: Seats) -> tuple[np.ndarray, np.ndarray]:
    """Return tables from flat action number to primary and vibe action number; see `streams` of the simulation."""
    pairs = [seats.table.streams[name] for name in seats.interface.all_action_names]
    numbers = np.array(pairs, np.int32).reshape(-1, 2)
    return np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])
