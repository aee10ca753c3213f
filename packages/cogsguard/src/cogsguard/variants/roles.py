"""The four roles: a piece of gear each, and what it is good for."""

from cogsguard.variants.buildings import ExtractorsVariant
from cogsguard.variants.elements import CargoLimitVariant
from cogsguard.variants.energy import EnergyVariant
from cogsguard.variants.gear import GearVariant
from cogsguard.variants.health import DamageVariant
from cogsguard.variants.junctions import TeamJunctionVariant
from mettagrid.cogame.core import CoGameMissionVariant, Deps, ResolvedDeps


class AlignerRoleVariant(CoGameMissionVariant):
    """The aligner takes junctions for its team."""

    name: str = "aligner_role"
    description: str = "Only aligners align junctions."

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[TeamJunctionVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(GearVariant).add("aligner", "🔗")
        junctions = deps.optional(TeamJunctionVariant)
        if junctions is not None:
            junctions.align_requirements["aligner"] = 1


class ScramblerRoleVariant(CoGameMissionVariant):
    """The scrambler frees junctions of other teams, and is hard to kill."""

    name: str = "scrambler_role"
    description: str = "Only scramblers scramble junctions; they have 200 hit points."
    hp: int = 200

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[TeamJunctionVariant, DamageVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(GearVariant).add("scrambler", "🌀")
        junctions, damage = deps.optional(TeamJunctionVariant), deps.optional(DamageVariant)
        if junctions is not None:
            junctions.scramble_requirements["scrambler"] = 1
        if damage is not None:
            damage.modifiers["scrambler"] = self.hp


class MinerRoleVariant(CoGameMissionVariant):
    """The miner extracts and carries more."""

    name: str = "miner_role"
    description: str = "Miners extract 10 at a time and carry 40."
    cargo: int = 40
    extract: int = 10

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[CargoLimitVariant, ExtractorsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(GearVariant).add("miner", "⛏️")
        cargo, extractors = deps.optional(CargoLimitVariant), deps.optional(ExtractorsVariant)
        if cargo is not None:
            cargo.modifiers["miner"] = self.cargo
        if extractors is not None:
            extractors.tools["miner"] = self.extract


class ScoutRoleVariant(CoGameMissionVariant):
    """The scout lives longest and has the most energy."""

    name: str = "scout_role"
    description: str = "Scouts have 400 hit points and 100 energy."
    hp: int = 400
    energy: int = 100

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[DamageVariant, EnergyVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(GearVariant).add("scout", "🔭")
        damage, energy = deps.optional(DamageVariant), deps.optional(EnergyVariant)
        if damage is not None:
            damage.modifiers["scout"] = self.hp
        if energy is not None:
            energy.modifiers["scout"] = self.energy
