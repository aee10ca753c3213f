"""The world that an audit plays: mission, number of agents, length and seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["RECIPE_REWARDS", "Setting"]

RECIPE_REWARDS = ("milestones", "credit")
"""reward variants of the training recipe's environment"""


@dataclass(frozen=True)
class Setting:
    """The episode to play: the first `steps` steps of a mission of `max_steps` steps.

    The seed is that of the map and of the engine. `recipe` adds the reward variants with which policies are trained:
    the rules stay the same, but agents observe other values of `last_reward`.
    """

    steps: int = 200
    agents: int = 10
    max_steps: int = 1000
    seed: int = 42
    recipe: bool = False
    mission: str = "arena"
    variants: tuple[str, ...] = ()

    def make_env(self) -> MettaGridConfig:
        """Create the environment; raise `MissionError` for an unknown mission or an impossible number of agents."""
        from cogames.missions import choose_mission
        from cogsguard.train.reward_variants import apply_reward_variants

        env = choose_mission(
            self.mission, variants=self.variants, cogs=self.agents, map_seed=self.seed, max_steps=self.max_steps
        ).env
        if self.recipe:
            apply_reward_variants(env, variants=RECIPE_REWARDS)
        return env

    def __str__(self) -> str:
        name = ".".join([self.mission, *self.variants]) + (" with the rewards of the recipe" if self.recipe else "")
        return f"{name}, {self.agents} agents, {self.steps} of {self.max_steps} steps, seed {self.seed}"
