"""Evaluations of one skill each, on small drawn maps. Each cog starts with a heart to spend on a junction."""

from pathlib import Path

from pydantic import Field

from cogsguard.maps import load_map, map_path
from cogsguard.missions.drawn import DrawnMission
from cogsguard.names import ELEMENTS
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import updateActor
from mettagrid.map_builder.ascii import AsciiMapBuilderConfig

__all__ = ["DIAGNOSTIC_EVALS", "MAPS_DIR", "RESOURCE_NAMES", "DiagnosticMission", "get_map"]

MAPS_DIR = Path(map_path("diagnostic_evals")).with_suffix("")
RESOURCE_NAMES = list(ELEMENTS)
_FOLDER = "diagnostic_evals"
_LOW_ENERGY = 60


def get_map(map_name: str) -> AsciiMapBuilderConfig:
    """Return a map of this folder by name, such as `diagnostic_memory`."""
    return load_map(f"{_FOLDER}/{Path(map_name).name.removesuffix('.map')}")


class DiagnosticMission(DrawnMission):
    """A small map with one thing to do. `inventory_seed` is what each cog holds at the start besides the rules' own."""

    max_steps: int = Field(default=250, ge=0)
    num_cogs: int | None = 8
    inventory_seed: dict[str, int] = Field(default_factory=lambda: {"heart": 1})

    def finish_env(self, env: MettaGridConfig) -> None:
        for agent in (env.game.agent, *env.game.agents):
            agent.inventory.initial.update(self.inventory_seed)


class _LowEnergyMission(DiagnosticMission):
    """The template of agents has little energy and no regeneration; agents of teams have their own settings."""

    def finish_env(self, env: MettaGridConfig) -> None:
        super().finish_env(env)
        env.game.agent.inventory.initial["energy"] = _LOW_ENERGY
        env.game.agent.on_tick = Handler(name="regen", mutations=[updateActor({"energy": 0})])


class DiagnosticChestNavigation1(DiagnosticMission):
    name: str = "diagnostic_chest_navigation1"
    description: str = "Walk to a junction in sight and align it."
    map_name: str = "diagnostic_evals/diagnostic_chest_navigation1"


class DiagnosticChestNavigation2(DiagnosticMission):
    name: str = "diagnostic_chest_navigation2"
    description: str = "Walk to a junction past pillars and align it."
    map_name: str = "diagnostic_evals/diagnostic_chest_navigation2"


class DiagnosticChestNavigation3(DiagnosticMission):
    name: str = "diagnostic_chest_navigation3"
    description: str = "Walk to a junction through a cave and align it."
    map_name: str = "diagnostic_evals/diagnostic_chest_navigation3"


class DiagnosticChestDepositNear(DiagnosticMission):
    name: str = "diagnostic_chest_deposit_near"
    description: str = "Align the junction beside the base."
    map_name: str = "diagnostic_evals/diagnostic_chest_near"


class DiagnosticChestDepositSearch(DiagnosticMission):
    name: str = "diagnostic_chest_deposit_search"
    description: str = "Find the junction and align it."
    map_name: str = "diagnostic_evals/diagnostic_chest_search"


class DiagnosticChargeUp(_LowEnergyMission):
    name: str = "diagnostic_charge_up"
    description: str = "Align a junction at the end of a long way."
    map_name: str = "diagnostic_evals/diagnostic_charge_up"


class DiagnosticMemory(DiagnosticMission):
    name: str = "diagnostic_memory"
    description: str = "Align a junction that is out of sight from the start."
    map_name: str = "diagnostic_evals/diagnostic_memory"
    max_steps: int = Field(default=110, ge=0)


class DiagnosticChestNavigation1Hard(DiagnosticMission):
    name: str = "diagnostic_chest_navigation1_hard"
    description: str = "Walk to a junction far across a hall."
    map_name: str = "diagnostic_evals/diagnostic_chest_navigation1_hard"
    max_steps: int = Field(default=350, ge=0)


class DiagnosticChestNavigation2Hard(DiagnosticMission):
    name: str = "diagnostic_chest_navigation2_hard"
    description: str = "Walk to a junction far behind pillars."
    map_name: str = "diagnostic_evals/diagnostic_chest_navigation2_hard"
    max_steps: int = Field(default=350, ge=0)


class DiagnosticChestNavigation3Hard(DiagnosticMission):
    name: str = "diagnostic_chest_navigation3_hard"
    description: str = "Walk to a junction deep in a cave."
    map_name: str = "diagnostic_evals/diagnostic_chest_navigation3_hard"
    max_steps: int = Field(default=350, ge=0)


class DiagnosticChestDepositSearchHard(DiagnosticMission):
    name: str = "diagnostic_chest_deposit_search_hard"
    description: str = "Find the junction in a very large cave."
    map_name: str = "diagnostic_evals/diagnostic_chest_search_hard"
    max_steps: int = Field(default=350, ge=0)


class DiagnosticChargeUpHard(_LowEnergyMission):
    name: str = "diagnostic_charge_up_hard"
    description: str = "Align a junction at the end of a very long way."
    map_name: str = "diagnostic_evals/diagnostic_charge_up_hard"
    max_steps: int = Field(default=350, ge=0)


class DiagnosticMemoryHard(DiagnosticMission):
    name: str = "diagnostic_memory_hard"
    description: str = "Align a junction far out of sight."
    map_name: str = "diagnostic_evals/diagnostic_memory_hard"
    max_steps: int = Field(default=170, ge=0)


DIAGNOSTIC_EVALS: list[type[DiagnosticMission]] = [
    DiagnosticChestNavigation1,
    DiagnosticChestNavigation2,
    DiagnosticChestNavigation3,
    DiagnosticChestDepositNear,
    DiagnosticChestDepositSearch,
    DiagnosticChargeUp,
    DiagnosticMemory,
    DiagnosticChestNavigation1Hard,
    DiagnosticChestNavigation2Hard,
    DiagnosticChestNavigation3Hard,
    DiagnosticChestDepositSearchHard,
    DiagnosticChargeUpHard,
    DiagnosticMemoryHard,
]
"""The classes; `cls()` is a mission."""
