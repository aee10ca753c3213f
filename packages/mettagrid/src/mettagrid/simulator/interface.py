"""The data types of the simulation API: observations, actions, and the base class of event handlers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.mettagrid_c import PackedCoordinate

if TYPE_CHECKING:
    from mettagrid.simulator._simulation import Simulation

__all__ = [
    "AgentObservation",
    "Location",
    "ObservationFeatureSpec",
    "ObservationToken",
    "PackedCoordinate",
    "SimulatorEventHandler",
    "VisibleTalk",
]

GLOBAL_LOCATION = 0xFE
EMPTY_LOCATION = 0xFF


class Location(NamedTuple):
    """A cell as (row, col); `x` is the column and `y` the row."""

    row: int
    col: int

    @property
    def x(self) -> int:
        return self.col

    @property
    def y(self) -> int:
        return self.row


# Location byte -> cell of the observation window; None for global tokens and padding.
_WINDOW: list[Location | None] = [Location(byte >> 4, byte & 15) for byte in range(256)]
_WINDOW[GLOBAL_LOCATION] = _WINDOW[EMPTY_LOCATION] = None


@dataclass(frozen=True)
class ObservationToken:
    """One observed fact: a feature, its value, and its cell.

    `raw_token` is (location byte, feature id, value byte) as the engine wrote it. Equal tokens of a simulation share
    one object, so tokens are immutable.
    """

    feature: ObservationFeatureSpec
    value: int
    raw_token: tuple[int, int, int]

    @property
    def is_global(self) -> bool:
        """True if the token is about the whole game rather than a cell."""
        return self.raw_token[0] == GLOBAL_LOCATION

    @property
    def location(self) -> Location | None:
        """The cell in window coordinates (the observer is in the middle); None for global and padding tokens."""
        return _WINDOW[self.raw_token[0]]

    def row(self) -> int | None:
        location = self.location
        return None if location is None else location.row

    def col(self) -> int | None:
        location = self.location
        return None if location is None else location.col


@dataclass(frozen=True)
class VisibleTalk:
    """A text that an agent hears, the speaker's place in the listener's window, and the remaining steps."""

    agent_id: int
    text: str
    location: Location
    remaining_steps: int


@dataclass
class AgentObservation:
    """The observation of one agent at one step: a copy, which later steps do not change.

    `tokens` is a list in the engine's order, without padding. In observations of a simulation it is decoded on first
    use; `token_array` reads the bytes without decoding.
    """

    agent_id: int
    tokens: Sequence[ObservationToken]
    talk: Sequence[VisibleTalk] = ()

    @classmethod
    def _from_bytes(
        cls,
        agent_id: int,
        packed: bytes,
        decode: Callable[[bytes], list[ObservationToken]],
        talk: Sequence[VisibleTalk],
    ) -> AgentObservation:
        """Create an observation whose tokens are still the engine's bytes, three for each."""
        observation = cls.__new__(cls)
        observation.__dict__ = {"agent_id": agent_id, "talk": talk, "_packed": packed, "_decode": decode}
        return observation

    def __getattr__(self, name: str) -> list[ObservationToken]:
        # Called only for attributes that are not set, so `tokens` has no extra cost after the first use.
        fields = self.__dict__
        if name == "tokens" and "_packed" in fields:
            tokens: list[ObservationToken] = fields["_decode"](fields["_packed"])
            fields["tokens"] = tokens
            return tokens
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, object]:
        return {"agent_id": self.agent_id, "tokens": self.tokens, "talk": self.talk}

    def token_array(self) -> np.ndarray:
        """Return the tokens as uint8 [tokens, 3] with columns location, feature id, value; do not write to it."""
        if "tokens" in self.__dict__:
            return np.array([token.raw_token for token in self.tokens], np.uint8).reshape(-1, 3)
        return np.frombuffer(self.__dict__["_packed"], np.uint8).reshape(-1, 3)


class SimulatorEventHandler:
    """Base class for code that observes a simulation; override the methods you need.

    For each episode a handler gets `set_simulation` (before the map is built), `on_episode_start` (step 0), `on_step`
    after every step, `on_episode_end` after every step that leaves the episode done, and `on_close`. Several handlers
    are called in registration order.
    """

    _sim: Simulation

    def __init__(self) -> None:
        pass

    def set_simulation(self, simulation: Simulation) -> None:
        self._sim = simulation

    def on_episode_start(self) -> None: ...

    def on_step(self) -> None: ...

    def on_episode_end(self) -> None: ...

    def on_close(self) -> None: ...
