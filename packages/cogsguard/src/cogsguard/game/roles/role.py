"""The base of roles."""

from cogsguard.game.gear import GearVariant
from mettagrid.cogame.core import CoGameMissionVariant, Deps, ResolvedDeps


class RoleVariant(CoGameMissionVariant):
    """Adds a piece of gear named after the role: `miner_role` adds `miner`."""

    @property
    def item_name(self) -> str:
        """Return the gear of the role."""
        return self.name.removesuffix("_role")

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        items = deps.required(GearVariant).items
        if self.item_name not in items:
            items.append(self.item_name)
