"""The plan of a ladder: everything that decides its results, and nothing else."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from cogames.ladder.entrants import Entrant
from cogames.ladder.errors import LadderError
from cogames.ladder.games import DuelKey, Game, games_of_duel
from cogames.ladder.missions import LadderMission
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode.holder import PolicySource
from mettagrid.runner.episode.plan import EpisodePlan

__all__ = ["DEFAULT_TIMEOUT_MS", "Ladder", "System"]

System = Literal["round-robin", "swiss"]

VERSION = 1
DEFAULT_TIMEOUT_MS = 10_000
"""generous, because a missed deadline depends on the load of the machine and changes the result"""

Source = PolicySpec | PolicySource


@dataclass(frozen=True)
class Ladder:
    """A tournament. `maps` is the number of maps of each mission, for `swiss` in each of its `rounds`."""

    entrants: Sequence[Entrant]
    missions: Sequence[LadderMission]
    system: System = "round-robin"
    rounds: int = 1
    maps: int = 4
    seed: int = 42
    action_timeout_ms: int = DEFAULT_TIMEOUT_MS
    device: str | None = None
    isolate: bool = False

    def __post_init__(self) -> None:
        if len(self.entrants) < 2:
            count = len(self.entrants)
            raise LadderError(
                f"A ladder needs at least two policies; got {count}", ["add -p POLICY, or --against house"]
            )
        if len({entrant.name for entrant in self.entrants}) < len(self.entrants):
            raise LadderError("Two policies of a ladder have the same name", ["use with_unique_names"])
        if not self.missions:
            raise LadderError("A ladder needs at least one mission", ["add -m MISSION"])

    def episode_seed(self, mission: int, number: int) -> int:
        """Return the seed of a map; it depends on the ladder's seed, the mission's name and the number alone."""
        text = f"{self.seed}/{self.missions[mission].name}/{number}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    def games_of(self, duel: DuelKey) -> list[Game]:
        return games_of_duel(duel, self.missions[duel.mission].meeting, len(self.entrants))

    def assignments(self, game: Game) -> list[int]:
        """Return the position in `game.entrants` that has each seat."""
        mission = self.missions[game.mission]
        if len(game.entrants) == 1:
            return [0] * mission.agents
        return mission.assignments(self.episode_seed(game.mission, game.number), game.number, game.side)

    def episode(self, game: Game, sources: Mapping[int, Source], replay_path: Path | None = None) -> EpisodePlan:
        """Return the episode of a game, with policies from `sources`."""
        return EpisodePlan(
            self.missions[game.mission].env,
            [sources[entrant] for entrant in game.entrants],
            self.assignments(game),
            seed=self.episode_seed(game.mission, game.number),
            policy_names=[self.entrants[entrant].name for entrant in game.entrants],
            max_action_time_ms=self.action_timeout_ms,
            replay_path=replay_path,
            device=self.device,
            load_failure="verdict",
        )

    def sources(self) -> dict[int, Source]:
        """Return each entrant for the runner."""
        return {number: entrant.source(isolate=self.isolate) for number, entrant in enumerate(self.entrants)}

    def document(self) -> dict[str, Any]:
        """Return the plan as `plan.json` holds it; two ladders with equal documents have equal results."""
        return {
            "version": VERSION,
            "policies": [
                {"name": entrant.name, "policy": entrant.policy, "sha256": entrant.digest} for entrant in self.entrants
            ],
            "missions": [
                {
                    "name": mission.name,
                    "meeting": mission.meeting,
                    "agents": mission.agents,
                    "teams": len(mission.team_names),
                    "steps": mission.env.game.max_steps,
                    "sha256": mission.digest,
                }
                for mission in self.missions
            ],
            "system": self.system,
            "rounds": self.rounds,
            "maps": self.maps,
            "seed": self.seed,
            "action_timeout_ms": self.action_timeout_ms,
            "device": self.device,
            "isolate": [self.isolate or entrant.bundle is not None for entrant in self.entrants],
            "packages": {name: importlib.metadata.version(name) for name in ("cogames", "mettagrid")},
        }

    def digest(self) -> str:
        return _digest(json.dumps(self.document(), sort_keys=True))


@lru_cache(64)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
