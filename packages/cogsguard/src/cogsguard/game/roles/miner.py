"""The miner."""

from cogsguard.game.cargo import CargoLimitVariant
from cogsguard.game.extractors import ExtractorsVariant
from cogsguard.game.gear import GearVariant
from cogsguard.game.roles.role import RoleVariant
from mettagrid.cogame.core import Deps, ResolvedDeps


class MinerVariant(RoleVariant):
    """The miner extracts and carries more."""

    name: str = "miner_role"
    description: str = "Miners extract 10 at a time and carry 40."
    cargo_modifier: int = 40
    extract_amount: int = 10

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[CargoLimitVariant, ExtractorsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        super().configure(deps)
        cargo, extractors = deps.optional(CargoLimitVariant), deps.optional(ExtractorsVariant)
        if cargo is not None:
            cargo.modifiers[self.item_name] = self.cargo_modifier
        if extractors is not None:
            extractors.add_extraction_handler(
                f"{self.item_name}_extract", {self.item_name: 1}, cost={}, amount=self.extract_amount
            )
