"""Solar power: energy in every step."""

from cogsguard.env import add_agent_ticks, add_resource
from cogsguard.game.energy import EnergyVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.game_value import inv
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import EntityTarget, SetGameValueMutation


class SolarVariant(CoGameMissionVariant):
    """In every step a cog gains as much energy as it holds `solar`, which is 1 at the start."""

    name: str = "solar"
    description: str = "The sun gives every cog energy in every step."

    def dependencies(self) -> Deps:
        return Deps(required=[EnergyVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "solar")
        for agent in env.game.agents:
            agent.inventory.initial["solar"] = 1
        charge = SetGameValueMutation(value=inv("energy"), source=inv("solar"), target=EntityTarget.ACTOR)
        add_agent_ticks(env, [Handler(name="solar_to_energy", mutations=[charge])])
