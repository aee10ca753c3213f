"""Count known structures by kind and owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cogames_agents.audit.world import Structure

__all__ = ["Census", "take_census"]


@dataclass
class Census:
    """Structures as last seen. A junction can belong to several teams, and count as own and enemy at once."""

    hubs: int = 0
    stations: int = 0
    junctions: int = 0
    extractors: int = 0
    own_hubs: int = 0
    own_junctions: int = 0
    open_junctions: int = 0
    """junctions that the team does not own"""
    enemy_junctions: int = 0

    @property
    def structures(self) -> int:
        return self.hubs + self.stations + self.junctions + self.extractors


def take_census(known: Iterable[Structure], team: str) -> Census:
    """Count the structures that a team knows."""
    census = Census()
    for structure in known:
        is_own = team in structure.teams
        if structure.is_junction:
            census.junctions += 1
            census.own_junctions += is_own
            census.open_junctions += not is_own
            census.enemy_junctions += bool(structure.teams - {team})
        elif structure.kind == "hub":
            census.hubs += 1
            census.own_hubs += is_own
        else:
            census.stations += structure.is_station
            census.extractors += structure.is_extractor
    return census
