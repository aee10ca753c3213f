"""The infos that policies publish in each step, for replays and viewers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mettagrid.simulator._simulation import Simulation

MONOLOGUE_KEY = "__monologue_transcript_tail"


class PolicyInfos:
    """Copies each agent's infos, adds its policy's name, and turns the end of a monologue into the added text."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._tails: dict[int, str] = {}
        self._names_alone: dict[int, dict[str, Any]] = {
            agent: {"policy_name": name} for agent, name in enumerate(names)
        }
        self.current = dict(self._names_alone)
        """the infos of the last step by agent, with the name of its policy"""
        self._monologues: dict[int, dict[str, Any]] = {}

    def share_with(self, simulation: Simulation) -> None:
        """Let event handlers read both tables in the simulation's context."""
        simulation._context["policy_infos"] = self.current
        simulation._context["monologue_updates"] = self._monologues

    def update(self, agent: int, infos: Mapping[str, Any] | None) -> None:
        """Set the infos of the agent's policy after a step; None for no infos."""
        if self._monologues:
            self._monologues.pop(agent, None)
        if not infos:  # the common case, which must be cheap
            self.current[agent] = self._names_alone[agent]
            return
        current = dict(infos)
        if MONOLOGUE_KEY in current:
            self._follow_monologue(agent, current.pop(MONOLOGUE_KEY))
        current.setdefault("policy_name", self._names[agent])
        self.current[agent] = current

    def _follow_monologue(self, agent: int, tail: object) -> None:
        from mettagrid.simulator.monologue_projection import compute_monologue_transcript_update

        if not isinstance(tail, str) or not tail:
            return
        added, reset = compute_monologue_transcript_update(self._tails.get(agent, ""), tail)
        self._tails[agent] = tail
        if added or reset:
            self._monologues[agent] = {"monologue_append": added, "monologue_reset": reset}
