"""Record which structures a policy knows and which it can know: hubs, stations, junctions, extractors."""

from __future__ import annotations

from cogames_agents.audit.census import Census
from cogames_agents.audit.claims import KNOWN, Claims
from cogames_agents.audit.episode import Step
from cogames_agents.audit.roles import role_of
from cogames_agents.audit.text import Row, Rows

__all__ = ["ENOUGH_STRUCTURES", "Knowledge"]

ENOUGH_STRUCTURES = 5
"""structures that a scout must know"""


class Knowledge:
    """The hub, the structures of each agent, and those of the scouts."""

    def __init__(self) -> None:
        self.hub_in_view_at: int | None = None
        """the first step in which an agent's team has seen its hub"""
        self.hub_known_at: int | None = None
        """the first step in which the infos name a hub"""
        self.says_hubs = False
        """whether infos say anything about hubs"""
        self.scout_structures: int | None = None
        """the most structures that a scout knows; None without scouts"""
        self.unreadable: set[str] = set()
        self._roles: list[str] = []
        self._claims: list[Claims] = []
        self._seen: list[Census] = []

    def add(self, step: Step) -> None:
        self._roles = [role_of(decision) for decision in step.decisions]
        self._claims = [decision.claims for decision in step.decisions]
        self._seen = [decision.seen for decision in step.decisions]
        for role, decision in zip(self._roles, step.decisions, strict=True):
            claims = decision.claims
            self.unreadable.update(claims.unreadable)
            if decision.team_seen.own_hubs and self.hub_in_view_at is None:
                self.hub_in_view_at = step.number
            self.says_hubs |= claims.known_hubs is not None
            if claims.known_hubs and self.hub_known_at is None:
                self.hub_known_at = step.number
            if role == "scout":
                known = decision.seen.structures
                if claims.structures is not None:  # a policy cannot know what its team has never seen
                    known = min(claims.structures, decision.team_seen.structures)
                self.scout_structures = max(self.scout_structures or 0, known)

    @property
    def hub_is_seen(self) -> bool:
        """Whether the hub was in view and, if the policy tells, the policy noticed it."""
        return self.hub_in_view_at is not None and (self.hub_known_at is not None or not self.says_hubs)

    def hub_row(self) -> Row:
        known = self.hub_known_at if self.says_hubs else "untold"
        return {
            "status": "seen" if self.hub_is_seen else "missing",
            "in_view_from_step": "never" if self.hub_in_view_at is None else self.hub_in_view_at,
            "known_from_step": "never" if known is None else known,
        }

    def scout_row(self) -> Row:
        return {"structures_known": "no_scout" if self.scout_structures is None else self.scout_structures}

    def rows(self) -> Rows:
        """Return the structure counts of each agent after the last step: seen by itself, and known by its infos."""
        kinds = [key.removeprefix("known_") for key in KNOWN]
        rows: Rows = {}
        for agent, (role, claims, seen) in enumerate(zip(self._roles, self._claims, self._seen, strict=True)):
            row: Row = {"role": role, "seen": {kind: getattr(seen, kind) for kind in kinds}}
            if claims.structures is not None:
                row["known"] = {kind: getattr(claims, f"known_{kind}") or 0 for kind in kinds}
            rows[f"agent {agent}"] = row
        return rows
