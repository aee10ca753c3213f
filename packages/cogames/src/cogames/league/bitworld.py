"""The games of the engine bitworld, for the server and its workers: seasons of Among Them and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogames.league.game import MEGABYTE, MettaGridGame, OutputFile

if TYPE_CHECKING:
    from mettagrid.replay import Replay

__all__ = ["GAME", "BitWorldLeagueGame"]


class BitWorldLeagueGame(MettaGridGame):
    """Games of BitWorld. A mission is the name of a game; its replay file is a `.bitreplay` whatever its name."""

    engine = "bitworld"
    bundle_inspector_packages = ("mettagrid", "cogames")
    viewer_page = "match.html"
    viewer_file = "scenes.z"

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

    def output_files(self, spec: Mapping[str, Any]) -> list[OutputFile]:
        """Return the files that a worker may send: those of mettagrid, and the scenes for the viewer."""
        return [*super().output_files(spec), OutputFile(self.viewer_file, 64 * MEGABYTE, is_replay=True)]

    def _explain(self, folder: Path, spec: dict[str, Any], names: Sequence[str], replays: Sequence[Replay]) -> None:
        from cogames.explain.job import write_bitworld_explanation

        write_bitworld_explanation(folder, names, spec["assignments"], max_steps=spec["env"]["max_ticks"])

    def viewer_folder(self) -> Path | None:
        """Return the folder of the pages of BitWorld games; None if they were not built."""
        from mettagrid.runner.bitworld.engine import pages_folder

        try:
            folder = pages_folder()
        except ModuleNotFoundError:
            return None
        return folder if (folder / self.viewer_page).is_file() else None


GAME = BitWorldLeagueGame()
