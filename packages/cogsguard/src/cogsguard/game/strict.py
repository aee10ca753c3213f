"""Rules stricter than the published ones; each is a variant, so that a mission opts in."""

from cogsguard.game.energy import EnergyVariant
from cogsguard.game.teams.junction import TeamJunctionVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.filter import TargetLocEmptyFilter, actorHas, isNot
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import RelocateMutation, updateActor


class StrictEnergyVariant(CoGameMissionVariant):
    """Charges energy for each move; a cog that cannot pay stays where it is.

    A step spent resting counts as a successful move. Bumping into objects is free.
    """

    name: str = "strict_energy"
    description: str = "Moving costs energy; a cog without enough of it rests instead."

    def dependencies(self) -> Deps:
        return Deps(required=[EnergyVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        cost = mission.required_variant(EnergyVariant).action_cost
        can_pay = actorHas(cost)
        env.game.actions.move.handlers = [
            Handler(
                name="move_for_energy",
                filters=[TargetLocEmptyFilter(), can_pay],
                mutations=[RelocateMutation(), updateActor({item: -amount for item, amount in cost.items()})],
            ),
            Handler(name="rest", filters=[TargetLocEmptyFilter(), isNot(can_pay)]),
        ]
        env.game.actions.move.consumed_resources = {}


class ExclusiveJunctionsVariant(CoGameMissionVariant):
    """Lets a team align a junction only while no team owns it."""

    name: str = "exclusive_junctions"
    description: str = "Only neutral junctions can be aligned."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamJunctionVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(TeamJunctionVariant).exclusive = True
