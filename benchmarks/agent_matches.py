"""Play policies on the same maps and compare them: means, and differences map by map, with 95 % intervals.

Episodes are those of the runner behind every command; policies play in their batched forms.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from agent_games import Game
from agent_players import batched_spec, spec
from mettagrid.cogame.errors import MissionError
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episodes
from mettagrid.runner.rollout import run_episode_local
from softmax.stats import Estimate, estimate_mean

CHUNK = 64  # games whose episodes are played together
ROUNDING = 1e-6  # rewards are sums of floats of 32 bits


@dataclass
class Comparison:
    """The mean rewards of two policies by seed, and what went wrong."""

    game: Game
    seeds: Sequence[int]
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """exceptions of policies, and of loading a game that the mission did not refuse"""
    refusal: str = ""
    """the one-line error of a mission that does not allow the game"""

    @property
    def difference(self) -> Estimate:
        """Our mean reward less theirs, from pairs on the same map."""
        return estimate_mean([ours - theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)])

    @property
    def verdict(self) -> str:
        """`above` or `below` if the interval of the difference excludes zero, else `equal` or `unclear`."""
        if self.refusal:
            return "refused"
        if self.faults:
            return "FAULT"
        if all(abs(ours - theirs) < ROUNDING for ours, theirs in zip(self.ours, self.theirs, strict=True)):
            return "equal"
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0 <= high:
            return "unclear"
        return "above" if low > 0 else "BELOW"

    def row(self, scale: float = 1.0) -> str:
        """Return the comparison as a row of a table, with rewards times `scale`."""
        cells = [_cell(estimate_mean(self.ours), scale), _cell(estimate_mean(self.theirs), scale)]
        return f"{self.game.name:44} {cells[0]}  {cells[1]}  {_cell(self.difference, scale)}  {self.verdict}"

    def document(self, scale: float = 1.0) -> dict:
        """Return the comparison for results/, with rewards times `scale`."""
        return {
            "game": self.game.name,
            "steps": self.game.steps,
            "ours": bounds(estimate_mean(self.ours), scale),
            "theirs": bounds(estimate_mean(self.theirs), scale),
            "difference": bounds(self.difference, scale),
            "verdict": self.verdict,
            **({"faults": self.faults} if self.faults else {}),
        }


def heading(ours: str, theirs: str) -> str:
    """Return the heading of a table of `Comparison.row`."""
    return f"{'game':44} {ours:>16}  {theirs:>16}  {'difference':>16}  verdict"


def compare(
    games: Iterable[Game], policies: tuple[str, str], seeds: Sequence[int], workers: int
) -> Iterator[Comparison]:
    """Play both policies on every game with all seeds; yield a comparison for each game.

    Variants that leave a mission as it is are common: equal environments are played once, if their games are together.
    """
    waiting = iter(games)
    while chunk := list(islice(waiting, CHUNK)):
        comparisons = [Comparison(game, seeds) for game in chunk]
        plans: dict[tuple[str, int, int], EpisodePlan] = {}
        places: list[tuple[Comparison, tuple[str, int, int]]] = []
        for comparison in comparisons:
            loaded = _load(comparison)
            for seed, env in zip(seeds, loaded, strict=False):
                rules = env.model_dump_json(exclude={"label"})
                for side, policy in enumerate(policies):
                    episode = (rules, seed, side)
                    if episode not in plans:
                        plans[episode] = EpisodePlan(env, [batched_spec(policy)], [0] * env.game.num_agents, seed)
                    places.append((comparison, episode))
        outcomes = dict(zip(plans, play_episodes(list(plans.values()), workers=workers), strict=True))
        for comparison, episode in places:
            outcome, side = outcomes[episode], episode[2]
            reward = statistics.fmean(outcome.rewards)
            (comparison.theirs if side else comparison.ours).append(reward)
            comparison.faults += [f"{policies[side]}, {fault}" for fault in faults(outcome)]
        yield from comparisons


def check_one_by_one(game: Game, policy: str, seed: int, reward: float) -> None:
    """Play an episode through the published interface, one agent after the other; raise if the reward differs."""
    env = game.load(seed)
    result, _ = run_episode_local(
        policy_specs=[spec(policy)], assignments=[0] * env.game.num_agents, env=env, seed=seed
    )
    single = statistics.fmean(result.rewards)
    if single != reward:
        raise SystemExit(f"{policy} on {game.name}, seed {seed}: {reward} in batches, {single} one by one")


def faults(outcome: EpisodeOutcome) -> list[str]:
    """Return a line for every policy that did not play to the end."""
    return [
        f"seed {outcome.seed}: {name} {verdict.status} at step {verdict.step}: {verdict.message}"
        for name, verdict in zip(outcome.policy_names, outcome.verdicts, strict=True)
        if verdict.status != "ok"
    ]


def bounds(estimate: Estimate, scale: float = 1.0) -> list[float | None]:
    """Return mean, low and high."""
    return [
        None if value is None else round(scale * value, 4) for value in (estimate.mean, estimate.low, estimate.high)
    ]


def _load(comparison: Comparison) -> list[MettaGridConfig]:
    """Load the game with every seed; notes why it is refused."""
    try:
        return [comparison.game.load(seed) for seed in comparison.seeds]
    except MissionError as error:
        comparison.refusal = str(error)
    except Exception as error:  # the mission neither refuses the game nor loads it
        comparison.faults.append(f"loading raised {error!r}")
    return []


def _cell(estimate: Estimate, scale: float) -> str:
    if estimate.mean is None:
        return f"{'-':>16}"
    half = "" if estimate.high is None else f" ± {scale * (estimate.high - estimate.mean):.3f}"
    return f"{scale * estimate.mean:.3f}{half}".rjust(16)
