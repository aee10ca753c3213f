"""Day and night."""

from pydantic import Field

from cogsguard.game.solar import SolarVariant
from mettagrid.base_config import Config
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.event_config import EventConfig, periodic
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import updateTarget
from mettagrid.config.query import query
from mettagrid.config.tag import typeTag


class DayConfig(Config):
    """Steps of one day with its night, and the solar power of each half."""

    day_length: int = Field(default=200, ge=2)
    day_solar: int = Field(default=3, ge=0)
    night_solar: int = Field(default=1, ge=0)


class DaysVariant(CoGameMissionVariant):
    """Starts a day every `day_length` steps from step 0; the second half of each day is night.

    Events are scheduled up to the `max_steps` the environment has when this variant is applied.
    """

    name: str = "days"
    description: str = "Day and night: the sun gives more energy by day."
    days_config: DayConfig = Field(default_factory=DayConfig)

    def dependencies(self) -> Deps:
        return Deps(required=[SolarVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        days = self.days_config
        for agent in env.game.agents:
            agent.inventory.initial["solar"] = days.night_solar
        rise = days.day_solar - days.night_solar
        for name, start, delta in (("day", 0, rise), ("night", days.day_length // 2, -rise)):
            env.game.events[name] = EventConfig(
                name=name,
                target_query=query(typeTag("agent")),
                timesteps=periodic(start, days.day_length, env.game.max_steps),
                mutations=[updateTarget({"solar": delta})],
            )
