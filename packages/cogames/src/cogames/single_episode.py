"""One episode for somebody to watch.

outcome = play_once(choose_mission("arena", map_seed=42), [parse_policy_spec("starter")], seed=42)
for row in episode_stats(outcome):
    print(*row)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cogames.mission_args import ChosenMission
from cogames.playing import PlaySettings, sources
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode.outcome import EpisodeOutcome
from mettagrid.runner.episode.plan import EpisodePlan
from mettagrid.runner.episode.play import play_episode

if TYPE_CHECKING:
    from mettagrid.renderer.renderer import RenderMode

__all__ = ["StatsTable", "assign_teams", "episode_stats", "has_share", "play_once", "team_ids"]

GEAR = ("miner", "aligner", "scrambler", "scout")
_SHARE = re.compile(r"[^:=/,]+:\d+(,|$)|(^|,)\s*proportion=", re.ASCII)
_KEPT = (".gained", ".lost", ".deposited", ".withdrawn", "heart")


@dataclass(frozen=True)
class StatsTable:
    """What is worth seeing of an episode: headers, and rows of as many cells."""

    headers: list[str]
    rows: list[list[str]]


def play_once(
    mission: ChosenMission,
    policies: Sequence[PolicySpec],
    *,
    seed: int = 42,
    one_per_team: bool = False,
    render: RenderMode = "none",
    autostart: bool = False,
    replay_path: Path | None = None,
    settings: PlaySettings | None = None,
) -> EpisodeOutcome:
    """Play an episode in this process. See `assign_teams` for who gets which seat."""
    settings = settings or PlaySettings(action_timeout_ms=10_000)
    proportions = [getattr(policy, "proportion", 1.0) for policy in policies]
    plan = EpisodePlan(
        mission.env,
        sources(policies, settings),
        assign_teams(team_ids(mission.env, seed), proportions, one_per_team=one_per_team),
        seed=seed,
        max_action_time_ms=settings.action_timeout_ms,
        replay_path=replay_path,
        device=settings.device,
    )
    if render == "gui":
        from mettagrid.live import play_live

        return play_live(plan, title=mission.name, autostart=autostart)
    from mettagrid.renderer.renderer import create_renderer

    return play_episode(plan, renderer=None if render == "none" else create_renderer(render, autostart))


def team_ids(env: MettaGridConfig, seed: int) -> list[int]:
    """The team of each agent. Agents are numbered as they stand on the map, so with several teams it is drawn."""
    if len({agent.team_id for agent in env.game.agents}) <= 1:
        return [0] * env.game.num_agents
    from mettagrid.runner.rollout import resolve_env_for_seed
    from mettagrid.simulator import Simulation

    simulation = Simulation(resolve_env_for_seed(env, seed), seed=seed)
    teams = {seen["agent_id"]: seen["group_id"] for seen in simulation.grid_objects().values() if "agent_id" in seen}
    simulation.close()
    return [teams[agent] for agent in range(env.game.num_agents)]


def assign_teams(teams: Sequence[int], proportions: Sequence[float], *, one_per_team: bool = False) -> list[int]:
    """A policy for each agent.

    With `one_per_team`, and more than one team and exactly one policy for each, the first team has the first policy
    and so on. Otherwise each team is filled on its own by walking round a pattern in which every policy stands as often
    as the whole part of its proportion says: 1 and 2 on a team of four give 0, 1, 1, 0. Proportions below one are
    taken as multiples of the smallest.
    """
    order = list(dict.fromkeys(teams))
    if one_per_team and 1 < len(order) == len(proportions):
        return [order.index(team) for team in teams]
    smallest = min(proportions)
    times = [int(p) if smallest >= 1 else round(p / smallest) for p in proportions]
    pattern = [policy for policy, count in enumerate(times) for _ in range(count)]
    seen: defaultdict[int, int] = defaultdict(int)
    assignments = []
    for team in teams:
        assignments.append(pattern[seen[team] % len(pattern)])
        seen[team] += 1
    return assignments


def has_share(policy: str) -> bool:
    """Whether a policy, as it was typed, says how many seats it gets: `NAME:N` or `proportion=`."""
    return _SHARE.search(policy) is not None


def episode_stats(outcome: EpisodeOutcome) -> StatsTable:
    """Gear, hearts and score where there is gear; else every total of what agents gained, lost and moved."""
    totals: defaultdict[str, float] = defaultdict(float)
    for stats in outcome.stats["agent"]:
        for name, value in stats.items():
            totals[name] += value
    score = f"{sum(outcome.rewards) / max(len(outcome.rewards), 1):.2f}"
    if not any(f"{gear}.gained" in totals for gear in GEAR):
        kept = [name for name in sorted(totals) if totals[name] and any(part in name for part in _KEPT)]
        rows = [[name, f"{totals[name]:g}"] for name in kept]
        return StatsTable(["Stat", "Value"], [*rows, ["Score (per cog)", score]])
    rows = []
    for gear in GEAR:
        changes = [totals[f"{gear}.{change}"] for change in ("gained", "lost", "amount")]
        if any(changes):
            rows.append(["Gear", gear, *(f"{value:g}" for value in changes)])
    hearts = [f"{totals[f'heart.{change}']:g}" for change in ("gained", "lost")]
    rows += [["Hearts", "hearts", *hearts, ""], ["Score", "per cog", "", "", score]]
    return StatsTable(["Category", "Stat", "Gained", "Lost", "Final"], rows)
