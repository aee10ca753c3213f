"""Numbers in the infos of every step: `step_info_keys`."""

from collections.abc import Sequence
from typing import Any

from mettagrid.envs._infos import attributes
from mettagrid.mettagrid_c import MettaGrid

ATTRIBUTES = ("seed", "map_w", "map_h", "steps", "max_steps")


class StepInfos:
    """Reads `game/<stat>`, `team/<team>/<stat>`, `attributes/<name>` and `agent/<stat>` from a world.

    `agent/reward_step` and `agent/reward_episode` are rewards; all but the agents' may have the prefix `env_`. A stat
    that has not been written is omitted. Raises ValueError for other keys.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._game: dict[str, str] = {}
        self._attributes: dict[str, str] = {}
        self._agent: list[str] = []
        for key in keys:
            self._add(str(key))

    def _add(self, key: str) -> None:
        kind, _, name = key.removeprefix("env_").partition("/")
        if kind not in ("game", "team", "attributes", "agent") or key.startswith("env_agent"):
            raise ValueError(
                f"Unknown step_info_keys entry {key!r}; "
                "they are game/<stat>, team/<team>/<stat>, attributes/<name> and agent/<stat>"
            )
        if not name:
            raise ValueError(f"step_info_keys entry {key!r} has nothing after the slash")
        if kind == "agent":
            self._agent.append(name)
        elif kind == "attributes":
            if name not in ATTRIBUTES:
                raise ValueError(f"step_info_keys entry {key!r}: the attributes are {', '.join(ATTRIBUTES)}")
            self._attributes[f"attributes/{name}"] = name
        else:
            if kind == "team" and not all(name.partition("/")):
                raise ValueError(f"step_info_keys entry {key!r} must be team/<team>/<stat>")
            self._game[f"{kind}/{name}"] = name

    def read(self, world: MettaGrid) -> dict[str, Any]:
        """Return {key: number}, and under `_per_agent_infos` {agent: {stat: number}}."""
        if not (self._game or self._attributes or self._agent):
            return {}
        values = {key: world.get_game_stat(stat) for key, stat in self._game.items()}
        infos: dict[str, Any] = {key: value for key, value in values.items() if value is not None}
        if self._attributes:
            world_attributes = attributes(world)
            infos.update({key: float(world_attributes[name]) for key, name in self._attributes.items()})
        if self._agent:
            infos["_per_agent_infos"] = {agent: self._of_agent(world, agent) for agent in range(world.num_agents)}
        return infos

    def _of_agent(self, world: MettaGrid, agent: int) -> dict[str, float]:
        rewards = {"reward_step": world.rewards, "reward_episode": world.get_episode_rewards}
        infos = {}
        for name in self._agent:
            value = rewards[name]()[agent] if name in rewards else world.get_agent_stat(agent, name)
            if value is not None:
                infos[name] = float(value)
        return infos
