"""Energy, the sun that gives it, and day and night."""

from pydantic import Field

from cogsguard.env import add_agent_ticks, add_resource, scheduled_steps
from mettagrid.base_config import Config
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.event_config import EventConfig, periodic
from mettagrid.config.filter import TargetLocEmptyFilter, actorHas, isNot
from mettagrid.config.game_value import inv
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig
from mettagrid.config.mutation import EntityTarget, RelocateMutation, SetGameValueMutation, updateActor, updateTarget
from mettagrid.config.query import query
from mettagrid.config.tag import typeTag


class EnergyVariant(CoGameMissionVariant):
    """Energy of cogs. `move_cost` is written down as the cost of a move, which the engine does not charge."""

    name: str = "energy"
    description: str = "Cogs have energy; moving is meant to cost some."
    limit: int = Field(default=20, ge=0)
    initial: int = Field(default=100, ge=0)
    move_cost: int = Field(default=4, ge=0)
    modifiers: dict[str, int] = Field(default_factory=dict)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "energy")
        for agent in env.game.agents:
            agent.inventory.limits["energy"] = ResourceLimitsConfig(
                base=self.limit, resources=["energy"], modifiers=dict(self.modifiers)
            )
            agent.inventory.initial["energy"] = self.initial
        env.game.actions.move.consumed_resources = {"energy": self.move_cost} if self.move_cost else {}


class SolarVariant(CoGameMissionVariant):
    """Every step a cog gains as much energy as it holds of `solar`."""

    name: str = "solar"
    description: str = "The sun gives every cog energy in every step."
    amount: int = Field(default=1, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[EnergyVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "solar")
        for agent in env.game.agents:
            agent.inventory.initial["solar"] = self.amount
        shine = SetGameValueMutation(value=inv("energy"), source=inv("solar"), target=EntityTarget.ACTOR)
        add_agent_ticks(env, [Handler(name="solar_to_energy", mutations=[shine])])


class DayConfig(Config):
    """How long a day with its night is, and what the sun gives."""

    day_length: int = Field(default=200, ge=2)
    day_solar: int = Field(default=3, ge=0)
    night_solar: int = Field(default=1, ge=0)


class DaysVariant(CoGameMissionVariant):
    """Days begin at step 0 with daylight; the second half of each is night."""

    name: str = "days"
    description: str = "Day and night: the sun gives more energy by day."
    days: DayConfig = Field(default_factory=DayConfig)

    def dependencies(self) -> Deps:
        return Deps(required=[SolarVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(SolarVariant).amount = self.days.night_solar

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        length, end = self.days.day_length, scheduled_steps(mission)
        rise = self.days.day_solar - self.days.night_solar
        for name, start, delta in (("day", 0, rise), ("night", length // 2, -rise)):
            env.game.events[name] = EventConfig(
                name=name,
                target_query=query(typeTag("agent")),
                timesteps=periodic(start, length, end),
                mutations=[updateTarget({"solar": delta})],
            )


class StrictEnergyVariant(CoGameMissionVariant):
    """Charges energy for moving, which the engine by itself does not: a cog that is short of it stays where it is.

    A step that the cog spends resting counts as a successful move. Bumping into things stays free.
    """

    name: str = "strict_energy"
    description: str = "Moving costs energy; a cog without enough of it rests instead."

    def dependencies(self) -> Deps:
        return Deps(required=[EnergyVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        cost = mission.required_variant(EnergyVariant).move_cost
        can_pay = actorHas({"energy": cost})
        env.game.actions.move.handlers = [
            Handler(
                name="move_for_energy",
                filters=[TargetLocEmptyFilter(), can_pay],
                mutations=[RelocateMutation(), updateActor({"energy": -cost})],
            ),
            Handler(name="rest", filters=[TargetLocEmptyFilter(), isNot(can_pay)]),
        ]
        env.game.actions.move.consumed_resources = {}
