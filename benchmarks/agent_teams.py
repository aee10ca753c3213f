"""One team of a policy against three of another on four_score, in each of the four seats."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from agent_games import Game
from agent_matches import bounds, faults
from agent_players import spec
from cogames.episodes.single import team_ids
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episodes
from softmax.stats import estimate_mean

MISSION = "four_score"


def measure_teams(duels: Sequence[tuple[str, str]], seeds: Sequence[int], steps: int, workers: int) -> dict:
    """Print and return, for each pair of policies, the junctions of the first policy's team and of the others' mean."""
    print(f"{'teams':30} {'alone':>8}  {'others':>8}  difference [mean, low, high], all seats and each seat")
    rows = [_measure(alone, others, seeds, steps, workers) for alone, others in duels]
    return {"steps": steps, "rows": rows}


def _measure(alone: str, others: str, seeds: Sequence[int], steps: int, workers: int) -> dict:
    plans: list[EpisodePlan] = []
    for seed in seeds:
        env = Game(MISSION, steps=steps).load(seed)
        teams = team_ids(env, seed)
        for own in sorted(set(teams)):
            plans.append(EpisodePlan(env, [spec(alone), spec(others)], [int(team != own) for team in teams], seed))
    outcomes = play_episodes(plans, workers=workers)
    scale = Game(MISSION).load(0).game.max_steps / steps
    pairs = [_by_policy(outcome, scale) for outcome in outcomes]
    margins = [first - second for first, second in pairs]
    seats = len(plans) // len(seeds)
    # Episodes of one seed share their map, so only seeds are independent.
    total = estimate_mean([statistics.fmean(margins[i : i + seats]) for i in range(0, len(margins), seats)])
    by_seat = [bounds(estimate_mean(margins[seat::seats])) for seat in range(seats)]
    means = [statistics.fmean(column) for column in zip(*pairs, strict=True)]
    wrong = [line for outcome in outcomes for line in faults(outcome)]
    title = f"{alone}, 3 of {others}"
    print(f"{title:30} {means[0]:8.2f}  {means[1]:8.2f}  {bounds(total)}  {by_seat}", *wrong[:1], flush=True)
    return {
        "alone": alone,
        "others": others,
        "means": [round(mean, 3) for mean in means],
        "difference": bounds(total),
        "by_seat": by_seat,
        "faults": wrong,
    }


def _by_policy(outcome: EpisodeOutcome, scale: float) -> tuple[float, float]:
    """Return the mean rewards of the agents of both policies."""
    rewards: tuple[list[float], list[float]] = ([], [])
    for reward, policy in zip(outcome.rewards, outcome.assignments, strict=True):
        rewards[policy].append(scale * reward)
    return statistics.fmean(rewards[0]), statistics.fmean(rewards[1])
