"""Cogs turn back in time, and learn what their mission changes."""

from __future__ import annotations

from cogames import missions
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode

ELEMENTS = ("carbon", "oxygen", "germanium", "silicon")
GEAR = ("aligner", "miner", "scout", "scrambler")


def play(mission: str, steps: int, *variants: str) -> list[dict[str, float]]:
    """Return the stats of each cog."""
    env = missions.load(mission, variants, seed=9302)
    env.game.max_steps = steps
    outcome = play_episode(EpisodePlan(env, [PolicySpec(class_path="cogsguard")], [0] * env.game.num_agents, seed=9302))
    cogs: list[dict[str, float]] = outcome.stats["agent"]
    return cogs


def test_no_cog_loses_its_gear_on_the_way_home_through_winding_caves() -> None:
    cogs = play("machina_200_stations_small", 4500)
    assert max(cog["cell.max_distance_from_spawn"] for cog in cogs) > 60  # far outside the team's territory
    assert [sum(cog.get(f"{gear}.lost", 0) for gear in GEAR) for cog in cogs] == [0] * len(cogs)


def test_miners_bring_more_where_the_mission_does_not_limit_cargo() -> None:
    limited, unlimited = (sum(map(units_mined, play("tutorial", 400, *limit))) for limit in (["cargo_limit"], []))
    assert unlimited > 1.2 * limited > 0


def units_mined(cog: dict[str, float]) -> float:
    return sum(cog.get(f"{element}.gained", 0) for element in ELEMENTS)
