"""The scout."""

from cogsguard.game.damage import DamageVariant
from cogsguard.game.energy import EnergyVariant
from cogsguard.game.gear import GearVariant
from cogsguard.game.roles.role import RoleVariant
from mettagrid.cogame.core import Deps, ResolvedDeps


class ScoutVariant(RoleVariant):
    """The scout has the most hit points and the most energy."""

    name: str = "scout_role"
    description: str = "Scouts have 400 hit points and 100 energy."
    hp_modifier: int = 400
    energy_modifier: int = 100

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[DamageVariant, EnergyVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        super().configure(deps)
        damage, energy = deps.optional(DamageVariant), deps.optional(EnergyVariant)
        if damage is not None:
            damage.modifiers[self.item_name] = self.hp_modifier
        if energy is not None:
            energy.modifiers[self.item_name] = self.energy_modifier
