"""Play one episode to watch.

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

from cogames.episodes.settings import PlaySettings, sources
from cogames.missions.arguments import ChosenMission
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode.outcome import EpisodeOutcome
from mettagrid.runner.episode.plan import EpisodePlan
from mettagrid.runner.episode.play import play_episode
from softmax.cli.text import decimal

if TYPE_CHECKING:
    from mettagrid.renderer.renderer import RenderMode

__all__ = ["StatsTable", "assign_teams", "episode_stats", "has_share", "play_once", "team_ids"]

HINT = "Click a cog and press Drive to play it: arrows or WASD move it, and a click on the map sends it there."
"""for people in the browser"""
GEAR = ("miner", "aligner", "scrambler", "scout")
_SHARE = re.compile(r"[^:=/,]+:\d+(,|$)|(^|,)\s*proportion=", re.ASCII)
_LISTED_STATS = (".gained", ".lost", ".deposited", ".withdrawn", "heart")


@dataclass(frozen=True)
class StatsTable:
    """The main stats of an episode: headers, and rows with one cell per header."""

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
    """Play an episode in this process. `assign_teams` decides the seats."""
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
        from mettagrid.live import Goal, play_live

        goal = Goal(mission.description, HINT) if mission.description else None
        return play_live(plan, title=mission.name, goal=goal, autostart=autostart)
    from mettagrid.renderer.renderer import create_renderer

    return play_episode(plan, renderer=None if render == "none" else create_renderer(render, autostart))


def team_ids(env: MettaGridConfig, seed: int) -> list[int]:
    """Return the team of each agent. With several teams this builds the map, which decides the agents' numbers."""
    if len({agent.team_id for agent in env.game.agents}) <= 1:
        return [0] * env.game.num_agents
    from mettagrid.runner.rollout import resolve_env_for_seed
    from mettagrid.simulator import Simulation

    simulation = Simulation(resolve_env_for_seed(env, seed), seed=seed)
    teams = {seen["agent_id"]: seen["group_id"] for seen in simulation.grid_objects().values() if "agent_id" in seen}
    simulation.close()
    return [teams[agent] for agent in range(env.game.num_agents)]


def assign_teams(teams: Sequence[int], proportions: Sequence[float], *, one_per_team: bool = False) -> list[int]:
    """Return the policy of each agent.

    With `one_per_team`, several teams and exactly one policy per team, the first team gets the first policy and so on.
    Otherwise each team is filled separately by cycling through a pattern in which every policy occurs as often as the
    whole part of its proportion: proportions 1 and 2 on a team of four give 0, 1, 1, 0. If a proportion is below one,
    all are divided by the smallest.
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
    """Return whether the value of `-p` sets a share of the seats: `NAME:N` or `proportion=`."""
    return _SHARE.search(policy) is not None


def episode_stats(outcome: EpisodeOutcome) -> StatsTable:
    """Return gear, hearts and score if the game has gear; otherwise totals of what agents gained, lost and moved."""
    totals: defaultdict[str, float] = defaultdict(float)
    for stats in outcome.stats["agent"]:
        for name, value in stats.items():
            totals[name] += value
    score = decimal(sum(outcome.rewards) / max(len(outcome.rewards), 1))
    if not any(f"{gear}.gained" in totals for gear in GEAR):
        names = [name for name in sorted(totals) if totals[name] and any(part in name for part in _LISTED_STATS)]
        rows = [[name, f"{totals[name]:g}"] for name in names]
        return StatsTable(["Stat", "Value"], [*rows, ["Score (per cog)", score]])
    rows = []
    for gear in GEAR:
        changes = [totals[f"{gear}.{change}"] for change in ("gained", "lost", "amount")]
        if any(changes):
            rows.append(["Gear", gear, *(f"{value:g}" for value in changes)])
    hearts = [f"{totals[f'heart.{change}']:g}" for change in ("gained", "lost")]
    rows += [["Hearts", "hearts", *hearts, ""], ["Score", "per cog", "", "", score]]
    return StatsTable(["Category", "Stat", "Gained", "Lost", "Final"], rows)
