"""An episode of a BitWorld game: what the players see to the policies, buttons and chat to the game, tick by tick."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from mettagrid.bitworld import BITWORLD_ACTION_MASKS, BITWORLD_ACTION_NAMES
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.bitworld.engine import open_match, player_name
from mettagrid.runner.bitworld.interface import interface_for, recorded_interface
from mettagrid.runner.bitworld.table import BitWorldTable, PolicyView
from mettagrid.runner.episode.outcome import EpisodeOutcome
from mettagrid.runner.episode.recorded import ActionRecorder
from mettagrid.runner.episode.seated import SeatedEpisode
from mettagrid.types import EpisodeStats
from mettagrid.util.tracer import NullTracer

if TYPE_CHECKING:
    from pathlib import Path

    from mettagrid.config.bitworld_config import BitWorldEnvConfig
    from mettagrid.live import LiveDoor
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.replay import BackgroundWriter
    from mettagrid.runner.episode.plan import EpisodePlan
    from mettagrid.util.tracer import Tracer

__all__ = ["BitWorldEpisode"]

logger = logging.getLogger(__name__)


class BitWorldEpisode(SeatedEpisode):
    """One match. It ends when the game is decided, or after `max_ticks` steps."""

    def __init__(
        self,
        plan: EpisodePlan,
        env: BitWorldEnvConfig,
        *,
        clock: Callable[[], float],
        turn: Callable[[int], None],
        warned: set[str] | None,
        tracer: Tracer | None,
        live: LiveDoor | None,
    ) -> None:
        super().__init__(plan, clock=clock, turn=turn, warned=warned)
        self._env = env
        self._tracer = tracer or NullTracer()
        self._table: BitWorldTable = BitWorldTable(env.num_players, self._times, clock=clock, tracer=tracer)
        if plan.actions_path is not None:
            self._table.recorder = ActionRecorder(self._table)
        self._views: dict[int, PolicyView] = {}
        self._counts = [Counter[str]() for _ in range(env.num_players)]
        self._steps = 0
        self._match = open_match(env, plan.seed, plan.replay_path)
        if live is not None:
            live.show(self._match.broadcast(hides_secrets=live.hides_secrets))

    def _interface(self, index: int) -> PolicyEnvInterface:
        policy = self._plan.policies[index]
        recorded = getattr(policy, "policy_env_interface", None)
        if isinstance(policy, PolicySpec):
            recorded = recorded_interface(policy)
        interface = interface_for(recorded, self._env.num_players)
        self._views[index] = PolicyView(self._table, interface, self._agents_of[index])
        return interface

    def _table_of(self, index: int) -> PolicyView:
        return self._views[index]

    def play(self) -> None:
        table, match = self._table, self._match
        while self._steps < self._env.max_ticks and not match.is_over:
            for view in self._views.values():
                view.observer.update(match)
            table.actions.fill(0)
            table.texts.clear()
            self._ask(self._steps)
            if self._times.has_budget:
                self._drop_disabled()
            if table.recorder is not None:
                table.recorder.step()
            with self._tracer.span("env_step", step=self._steps):
                self._step()

    def _step(self) -> None:
        table = self._table
        for agent, text in sorted(table.texts.items()):
            self._counts[agent]["chat.sent"] += 1
            self._counts[agent]["chat.accepted"] += self._match.chat(agent, text)
        for agent, action in enumerate(table.actions):
            self._counts[agent][f"action.{BITWORLD_ACTION_NAMES[action]}.success"] += 1
        self._match.step(BITWORLD_ACTION_MASKS[table.actions].tolist())
        self._steps += 1

    def close(self) -> None:
        super().close()
        self._match.close()

    def _write(self, path: Path | None, write: Callable[[Path], None]) -> None:
        """Write a file for people. No result depends on it: if this fails, there is a log message and no file."""
        if path is None:
            return
        try:
            write(path)
        except Exception:
            logger.exception("%s of the match could not be written", path.name)
            path.unlink(missing_ok=True)

    def outcome(self, background: BackgroundWriter | None) -> EpisodeOutcome:
        plan, env = self._plan, self._env
        if self._table.recorder is not None and plan.actions_path is not None:
            self._table.recorder.write(plan.actions_path)
        self._write(plan.scenes_path, self._match.write_scenes)
        self._write(plan.history_path, self._match.write_history)
        accounts = {account.name: account for account in self._match.accounts()}
        rewards = []
        for agent, counts in enumerate(self._counts):
            account = accounts.get(player_name(agent))
            rewards.append(0.0 if account is None else float(account.reward))
            counts.update({} if account is None else dict(account.counts))
        self._timings.total_ms = 1000 * (time.perf_counter() - self._began)
        stats: EpisodeStats = {
            "game": {"ticks": float(self._steps), "num_players": float(env.num_players)},
            "agent": [{name: float(value) for name, value in counts.items()} for counts in self._counts],
        }
        return EpisodeOutcome(
            seed=plan.seed,
            assignments=list(plan.assignments),
            policy_names=plan.names,
            rewards=rewards,
            action_timeouts=self._times.timeouts,
            stats=stats,
            steps=self._steps,
            max_steps=env.max_ticks,
            time_averaged_game_stats={},
            overage_exceeded_at=self._times.exceeded_at,
            verdicts=[self._verdict(index) for index in range(len(plan.policies))],
            replay_path=None if plan.replay_path is None else str(plan.replay_path),
            timings=self._timings,
            last_words=[self._last_words.get(index, "") for index in range(len(plan.policies))],
        )
