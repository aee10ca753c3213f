"""The missions of Cogs vs Clips in general."""

from typing import Self

from pydantic import Field

from cogsguard.terrain import compounds_of, find_arena
from mettagrid.cogame.core import CoGameMission, VariantConflict, VariantRegistry
from mettagrid.config.action_config import ActionsConfig, ChangeVibeActionConfig
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, MettaGridConfig, WallConfig
from mettagrid.config.obs_config import GlobalObsConfig, ObsConfig
from mettagrid.config.render_config import RenderConfig
from mettagrid.config.vibes import Vibe

_CONFLICTS = (
    {"no_clips", "greedy_clips", "angry_clips", "adaptive_clips", "overrun"},
    {"multi_team", "four_score"},
    {"desert", "forest", "caves", "city"},
)
"""Variants of which one mission can have at most one."""


class CvCMission(CoGameMission):
    """A mission of the game. Without other variants its rules are those of `machina_1`."""

    default_variant: str | None = "machina_1"
    num_agents: int = Field(default=8, ge=1)

    def with_cogs(self, num_cogs: int) -> Self:
        mission = super().with_cogs(num_cogs)
        mission.num_agents = num_cogs
        return mission

    def make_base_env(self) -> MettaGridConfig:
        """Walls, moving, and agents who see what is around them."""
        game = GameConfig(
            resource_names=[],
            num_agents=self.num_agents,
            max_steps=self.max_steps,
            obs=ObsConfig(global_obs=GlobalObsConfig(last_action_move=True, local_position=True), territory=True),
            agents=[AgentConfig() for _ in range(self.num_agents)],
            actions=ActionsConfig(change_vibe=ChangeVibeActionConfig(enabled=False, vibes=[Vibe("😐", "default")])),
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
        for group in _CONFLICTS:
            both = [variant.name for variant in registry.all() if variant.name in group]
            if len(both) > 1:
                raise VariantConflict(f"The variants {both[0]!r} and {both[1]!r} exclude each other; choose one.")
