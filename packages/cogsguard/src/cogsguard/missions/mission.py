"""Missions of Cogs vs Clips."""

import importlib
from typing import Self

from pydantic import Field

from cogsguard.map_config import compounds_of, find_arena
from mettagrid.cogame.core import CoGameMission, VariantConflict, VariantRegistry
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, MettaGridConfig, WallConfig
from mettagrid.config.obs_config import GlobalObsConfig, ObsConfig
from mettagrid.config.render_config import RenderConfig

_CONFLICTS = ({"multi_team", "four_score"},)
"""Variants of which a mission can have at most one."""


class CvCMission(CoGameMission):
    """A mission of the game. Without other variants its rules are those of `machina_1`."""

    default_variant: str | None = "machina_1"
    num_agents: int = Field(default=8, ge=1)

    @classmethod
    def variant_module_prefixes(cls) -> tuple[str, ...]:
        return ("cogsguard",)

    @classmethod
    def import_variants(cls) -> None:
        importlib.import_module("cogsguard.game").import_all()

    def with_cogs(self, cogs: int) -> Self:
        mission = super().with_cogs(cogs)
        mission.num_agents = cogs
        return mission

    def make_base_env(self) -> MettaGridConfig:
        """Return walls, moves, vibes, and agents that see their surroundings."""
        game = GameConfig(
            resource_names=[],
            num_agents=self.num_agents,
            max_steps=self.max_steps,
            obs=ObsConfig(global_obs=GlobalObsConfig(last_action_move=True, local_position=True), territory=True),
            agents=[AgentConfig() for _ in range(self.num_agents)],
            objects={"wall": WallConfig()},
            render=RenderConfig(symbols={"wall": "⬛"}),
            map_builder=self.map_builder,
        )
        arena = find_arena(self.map_builder)
        if arena is not None:
            arena.spawn_count = self.num_agents
            for compound in compounds_of(arena):
                compound.corner_bundle = "none"
        return MettaGridConfig(label=self.full_name(), game=game)

    def check_variants(self, registry: VariantRegistry) -> None:
        for variant in registry.all():
            if not variant.compat(self):
                raise VariantConflict(f"The variant {variant.name!r} does not fit the mission {self.name!r}.")
        for group in _CONFLICTS:
            both = [variant.name for variant in registry.all() if variant.name in group]
            if len(both) > 1:
                raise VariantConflict(f"The variants {both[0]!r} and {both[1]!r} exclude each other; choose one.")
