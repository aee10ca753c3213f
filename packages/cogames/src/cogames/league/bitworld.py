"""The games of the engine bitworld, for the server and its workers: seasons of Among Them and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cogames.league.game import MettaGridGame

__all__ = ["GAME", "BitWorldLeagueGame"]


class BitWorldLeagueGame(MettaGridGame):
    """Games of BitWorld. A mission is the name of a game; its replay file is a `.bitreplay` whatever its name."""

    engine = "bitworld"
    bundle_inspector_packages = ("mettagrid", "cogames")

    def env_config(
        self, mission: str, *, variants: Sequence[str], num_agents: int, max_steps: int | None
    ) -> dict[str, Any]:
        """Return the environment of a game; raise `ValueError` for an unknown one and for variants."""
        from cogames.missions.bitworld import bitworld_mission

        if variants:
            raise ValueError("BitWorld games have no variants")
        chosen = bitworld_mission(mission, cogs=num_agents, max_steps=max_steps)
        document: dict[str, Any] = chosen.env.model_dump(mode="json")
        return document


GAME = BitWorldLeagueGame()
