"""The scrambler."""

from cogsguard.game.damage import DamageVariant
from cogsguard.game.gear import GearVariant
from cogsguard.game.roles.role import RoleVariant
from cogsguard.game.teams.junction import TeamJunctionVariant
from mettagrid.cogame.core import Deps, ResolvedDeps


class ScramblerVariant(RoleVariant):
    """The scrambler makes junctions of other teams neutral, and has more hit points."""

    name: str = "scrambler_role"
    description: str = "Only scramblers scramble junctions; they have 200 hit points."
    hp_modifier: int = 200

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[TeamJunctionVariant, DamageVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        super().configure(deps)
        junctions, damage = deps.optional(TeamJunctionVariant), deps.optional(DamageVariant)
        if junctions is not None:
            junctions.scramble_required_resources[self.item_name] = 1
        if damage is not None:
            damage.modifiers[self.item_name] = self.hp_modifier
