"""One agent of a running simulation: its actions, talk and observations."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING

from mettagrid.simulator._errors import UnknownActionError, did_you_mean
from mettagrid.simulator.interface import AgentObservation, ObservationToken

if TYPE_CHECKING:
    from mettagrid.simulator._simulation import Simulation
    from mettagrid.types import Action

MAX_AMOUNT = 65535


class SimulationAgent:
    """A stateless view of one agent, created by `Simulation.agent(id)`."""

    __slots__ = ("_agent_id", "_sim")

    def __init__(self, sim: Simulation, agent_id: int) -> None:
        self._sim = sim
        self._agent_id = agent_id

    @property
    def id(self) -> int:
        return self._agent_id

    def set_action(self, action: Action | str) -> None:
        """Choose what the agent does from the next step on; it repeats that until another action is set.

        A vibe change replaces the primary action and vice versa; an `Action` with `vibe` does both. `Action.talk` is
        left to the caller, see `set_talk`. Raises UnknownActionError (a KeyError), in which case nothing changes.
        """
        sim = self._sim
        streams = sim._action_streams
        try:
            if isinstance(action, str):
                primary_id, vibe_id = streams[action]
            elif action.vibe is None:
                primary_id, vibe_id = streams[action.name]
            else:
                primary_id, vibe_id = sim._action_ids[action.name], sim._action_ids[action.vibe]
        except (KeyError, TypeError, AttributeError):
            raise _refused(action, sim._action_ids) from None
        engine = sim._c_sim
        engine.actions()[self._agent_id] = primary_id
        engine.vibe_actions()[self._agent_id] = vibe_id

    def set_talk(self, text: str) -> None:
        """Queue a text to be said after the next tick; see `TalkChannel.queue` for the errors."""
        self._sim._talk_channel.queue(self._agent_id, text, current_step=self._sim.current_step)

    @property
    def observation(self) -> AgentObservation:
        """The agent's current observation, with the talk it hears."""
        sim, agent_id = self._sim, self._agent_id
        talk = sim._visible_talk(agent_id)
        return AgentObservation._from_bytes(agent_id, self._packed(), sim._decoder.decode, talk)

    @property
    def step_reward(self) -> float:
        """The reward of the last step (a numpy float32)."""
        reward: float = self._sim._c_sim.rewards()[self._agent_id]
        return reward

    @property
    def episode_reward(self) -> float:
        """The sum of rewards so far (a numpy float32)."""
        reward: float = self._sim.episode_rewards[self._agent_id]
        return reward

    @property
    def last_action_success(self) -> bool:
        """Whether the last step's action worked; False before the first step."""
        return self._sim.action_success[self._agent_id]

    def self_observation(self) -> list[ObservationToken]:
        """Return the tokens about the agent's own cell."""
        return self._sim._decoder.own_cell(self._packed())

    @property
    def inventory(self) -> dict[str, int]:
        """{resource: amount} as the agent last observed itself: a later `set_inventory` shows after the next step."""
        return self._sim._decoder.inventory(self._packed())

    def global_observation_tokens(self) -> list[ObservationToken]:
        """Return the tokens about the whole game."""
        return self._sim._decoder.global_tokens(self._packed())

    @property
    def global_observations(self) -> dict[str, int]:
        """{feature name: number} of the tokens about the whole game."""
        return self._sim._decoder.global_values(self._packed())

    def set_inventory(self, inventory: Mapping[str, int]) -> None:
        """Replace the agent's inventory; resources that are not named become zero."""
        if not isinstance(inventory, Mapping):
            raise TypeError(f"An inventory must map resource names to amounts, not be a {type(inventory).__name__}")
        ids = {name: number for number, name in enumerate(self._sim.resource_names)}
        amounts = {}
        for name, amount in inventory.items():
            if name not in ids:
                raise ValueError(f"Unknown resource {name!r}{did_you_mean(name, ids)}; known are {list(ids)}")
            try:
                amounts[ids[name]] = index(amount)
            except TypeError:
                raise TypeError(f"The amount of {name!r} must be an integer, not {amount!r}") from None
            if not 0 <= amounts[ids[name]] <= MAX_AMOUNT:
                raise ValueError(f"The amount of {name!r} must be from 0 to {MAX_AMOUNT}, not {amount}")
        self._sim._c_sim.set_inventory(self._agent_id, amounts)

    def _packed(self) -> bytes:
        """Return the agent's tokens as bytes, a copy without padding."""
        sim = self._sim
        return sim._decoder.trim(sim._c_sim.observations()[self._agent_id].tobytes())


def _refused(action: object, known: Mapping[str, int]) -> Exception:
    """Return the error for an action that `set_action` rejects."""
    names = [action] if isinstance(action, str) else [getattr(action, "name", None), getattr(action, "vibe", None)]
    for name in names:
        if name is not None and not (isinstance(name, str) and name in known):
            return UnknownActionError(name, known)
    return TypeError(f"An action must be an action name or an Action, not {type(action).__name__}")
