"""The aligner."""

from cogsguard.game.gear import GearVariant
from cogsguard.game.roles.role import RoleVariant
from cogsguard.game.teams.junction import TeamJunctionVariant
from mettagrid.cogame.core import Deps, ResolvedDeps


class AlignerVariant(RoleVariant):
    """The aligner takes junctions for its team."""

    name: str = "aligner_role"
    description: str = "Only aligners align junctions."

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant], optional=[TeamJunctionVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        super().configure(deps)
        junctions = deps.optional(TeamJunctionVariant)
        if junctions is not None:
            junctions.align_required_resources[self.item_name] = 1
