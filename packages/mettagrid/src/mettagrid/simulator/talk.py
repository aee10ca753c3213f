"""The talk channel: short texts that agents near the speaker hear, outside the token observation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from mettagrid.simulator.interface import Location, VisibleTalk

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mettagrid.config.mettagrid_config import TalkConfig

__all__ = ["ActiveTalk", "TalkChannel", "TalkState"]


@dataclass(frozen=True)
class TalkState:
    """A current text and the number of steps for which it is still heard."""

    text: str
    remaining_steps: int


@dataclass(frozen=True)
class ActiveTalk:
    """A current text, with the steps at which it expires and at which it may be replaced."""

    text: str
    expires_after_step: int
    replace_after_step: int

    def remaining_steps(self, current_step: int) -> int:
        return max(0, self.expires_after_step - current_step)

    def can_replace(self, current_step: int) -> bool:
        """Return whether a text queued now would start at or after the step that allows a new one."""
        return current_step + 1 >= self.replace_after_step


@dataclass
class TalkChannel:
    """Texts queued during a step start after its tick and last max(1, cooldown_steps) steps."""

    config: TalkConfig
    _active_by_agent: dict[int, ActiveTalk] = field(default_factory=dict)
    _pending_by_agent: dict[int, str] = field(default_factory=dict)

    @property
    def is_quiet(self) -> bool:
        """True if there is no current and no queued text."""
        return not self._active_by_agent and not self._pending_by_agent

    def reset(self) -> None:
        self._active_by_agent.clear()
        self._pending_by_agent.clear()

    def queue(self, agent_id: int, text: str, *, current_step: int) -> None:
        """Queue a text to be said after the next tick; a second one before that replaces it.

        Raises ValueError if talk is disabled, the text is empty or too long, or the last one may not be replaced yet.
        """
        if not self.config.enabled:
            raise ValueError("talk is not enabled for this game; set `game.talk.enabled` to allow it")
        if text is not None and not isinstance(text, str):
            raise TypeError(f"talk must be a string, not {type(text).__name__}")
        if not text:
            raise ValueError("talk must not be empty")
        if len(text) > self.config.max_length:
            raise ValueError(f"talk has {len(text)} characters, more than max_length {self.config.max_length}")
        active = self._active_by_agent.get(agent_id)
        if active is not None and not active.can_replace(current_step):
            allowed = active.replace_after_step - 1
            raise ValueError(f"talk cooldown has not expired; agent {agent_id} may talk again after step {allowed}")
        self._pending_by_agent[agent_id] = text

    def apply_pending(self, *, current_step: int) -> None:
        """Start every queued text."""
        cooldown = self.config.cooldown_steps
        for agent_id, text in self._pending_by_agent.items():
            self._active_by_agent[agent_id] = ActiveTalk(text, current_step + max(1, cooldown), current_step + cooldown)
        self._pending_by_agent.clear()

    def expire(self, *, current_step: int) -> None:
        """Drop all expired texts."""
        over = [agent for agent, talk in self._active_by_agent.items() if current_step >= talk.expires_after_step]
        for agent_id in over:
            del self._active_by_agent[agent_id]

    def render_states(self, *, current_step: int) -> dict[int, TalkState]:
        """Return the texts of all speakers, heard or not, by agent id."""
        return {
            agent_id: TalkState(talk.text, talk.remaining_steps(current_step))
            for agent_id, talk in self._active_by_agent.items()
        }

    def visible_talk(
        self,
        observer_agent_id: int,
        *,
        current_step: int,
        agent_locations: Mapping[int, Location],
        obs_height: int,
        obs_width: int,
        broadcast_agent_ids: Collection[int] | None = None,
    ) -> list[VisibleTalk]:
        """Return the texts that one agent hears, by speaker id.

        Speakers inside the observation shape are heard where they are, walls or not. When the observer is among
        `broadcast_agent_ids`, so are all others of them; those outside the shape are put in the middle of the window.
        """
        observer = agent_locations.get(observer_agent_id)
        if observer is None or not self._active_by_agent:
            return []
        centre_row, centre_col = obs_height // 2, obs_width // 2
        shape = _observation_shape(centre_row, centre_col)
        on_air = broadcast_agent_ids if broadcast_agent_ids and observer_agent_id in broadcast_agent_ids else ()
        heard = []
        for agent_id in sorted(self._active_by_agent):
            speaker = agent_locations.get(agent_id)
            if speaker is None:
                continue
            offset = (speaker.row - observer.row, speaker.col - observer.col)
            if offset in shape:
                location = Location(centre_row + offset[0], centre_col + offset[1])
            elif agent_id in on_air:
                location = Location(centre_row, centre_col)
            else:
                continue
            talk = self._active_by_agent[agent_id]
            heard.append(VisibleTalk(agent_id, talk.text, location, talk.remaining_steps(current_step)))
        return heard


@cache
def _observation_shape(row_radius: int, col_radius: int) -> frozenset[tuple[int, int]]:
    """Return the offsets (row, col) that an agent observes: a disc with widened tips, an ellipse, or a line."""

    def inside(row: int, col: int) -> bool:
        if row_radius == col_radius:
            distance, radius = row * row + col * col, row_radius * row_radius
            on_edge = abs(row) == row_radius or abs(col) == col_radius
            return distance <= radius or (row_radius >= 2 and distance == radius + 1 and on_edge)
        rows, cols = row_radius * row_radius, col_radius * col_radius
        return row * row * cols + col * col * rows <= rows * cols

    rows, cols = range(-row_radius, row_radius + 1), range(-col_radius, col_radius + 1)
    return frozenset((row, col) for row in rows for col in cols if inside(row, col))
