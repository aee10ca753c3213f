"""Play versions of a player: one episode of the Coworld per condition, through the runner.

A condition is a variant, a seat and a seed. Both versions play the same ones. The other seats are taken by the
players of the certification fixture, or by the opponents that were named.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from coworld.engines.base import EngineError
from coworld.engines.local_images import LocalImages, parse_mapping
from coworld.engines.process import ProcessEngine
from coworld.manifest.package import CoworldPackage
from coworld.manifest.tokens import slot_count
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.optimize.errors import OptimizeError
from coworld.runner.episode_request import fixture_request
from coworld.runner.runner import EpisodeOptions, run_episode_async

TRIES = 3
"""of an episode that failed, and not by the player's fault"""


@dataclass(frozen=True)
class Condition:
    """The conditions of an episode, the same for both versions."""

    variant: str | None
    """None is the certification fixture"""
    slot: int
    seed: int

    def document(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Played:
    """The result of a version under a condition."""

    score: float | None
    """None: the version broke the episode"""
    why: str | None = None
    workspace: Path | None = None
    """the folder of the episode's files, if they were saved"""


class Arena(Protocol):
    """The interface that plays versions of a player."""

    def conditions(self, first: int, count: int) -> list[Condition]:
        """Return `count` conditions from number `first` on; the same numbers give the same conditions."""

    async def play(self, version: Path, condition: Condition, workspace: Path) -> Played:
        """Try the version in a folder. Raises OptimizeError when it can't be tried at all."""


class EpisodeArena:
    """Play real episodes on this machine."""

    def __init__(
        self,
        package: CoworldPackage,
        *,
        player: str | None = None,
        variants: Sequence[str] = (),
        opponents: Sequence[str] = (),
        budget_seconds: float = 300.0,
        unsafe: bool = False,
    ) -> None:
        """`player` is the id of the player to improve, by default the first; `variants` are played in turn, by
        default the certification fixture; `opponents` are ids of the players in the other seats."""
        self.package = package
        self.player = package.role("player", player)
        self.variants: list[str | None] = [package.variant(name).id for name in variants] or [None]
        if self.player.image is None:
            raise OptimizeError(
                f"The player {self.player.id!r} is a file that the game hosts, and a folder cannot stand for it",
                hint="choose a player with an image: `--player ID`",
            )
        self.opponents = [package.player(name).runnable() for name in opponents]
        self._opponent_ids = list(opponents)
        self.budget_seconds = budget_seconds
        self._unsafe = unsafe
        self._seats = {variant: self._count(variant) for variant in self.variants}
        seed = package.config_schema.get("properties", {}).get("seed", {})
        self._seeded = isinstance(seed, dict) and seed.get("type") == "integer"
        self._engines: dict[Path, ProcessEngine] = {}

    def identity(self) -> dict[str, Any]:
        """Return the inputs of a run in this arena, for its journal."""
        return {
            "game": self.package.manifest.game.name,
            "manifest": hashlib.sha256(self.package.path.read_bytes()).hexdigest(),
            "player": self.player.id,
            "opponents": self._opponent_ids,
        }

    def check(self, folder: Path) -> None:
        """Look up every program of an episode; starts nothing.

        Raises:
            OptimizeError: this machine cannot run one of them.
        """
        engine = self._engine(folder)
        game = self.package.manifest.game.runnable
        programs = [("game", game.image, game.run), ("player", str(self.player.image), self.player.run)]
        for opponent in self._others():
            programs.append(("opponent", str(opponent.image), opponent.run))
        for role, image, run in programs:
            try:
                resolved = engine.resolve(image)
            except EngineError as error:
                raise OptimizeError(f"The {role} cannot be run here: {error}") from None
            if not run and not resolved.has_command:
                raise OptimizeError(
                    f"The {role} cannot be run here: {image} is {resolved.how}, which names no command",
                    hint="add a coworld_local.json with `argv`, or `run` in the manifest",
                )

    def conditions(self, first: int, count: int) -> list[Condition]:
        conditions = []
        for number in range(first, first + count):
            turn, index = divmod(number, len(self.variants))
            variant = self.variants[index]
            conditions.append(Condition(variant, turn % self._seats[variant], number))
        return conditions

    async def play(self, version: Path, condition: Condition, workspace: Path) -> Played:
        engine = self._engine(version)
        request = self._request(condition)
        options = EpisodeOptions(budget_seconds=self.budget_seconds, prefix="coworld-optimize")
        reason = ""
        for _ in range(TRIES):
            try:
                outcome = await run_episode_async(
                    self.package, request, engine=engine, workspace=workspace, options=options
                )
            except EngineError as error:
                raise OptimizeError(str(error), hint="see that `coworld run-episode` plays this player") from None
            if outcome.error is None and outcome.results is not None:
                return self._score(outcome.results, condition, workspace)
            failure = outcome.error
            reason = failure.message if failure is not None else "no results"
            if failure is not None and failure.slot == condition.slot:
                return Played(None, reason, workspace)
        raise OptimizeError(
            f"an episode failed {TRIES} times and not by the player's fault: {reason}",
            hint=f"its files are in {workspace}",
        )

    def _score(self, results: dict[str, Any], condition: Condition, workspace: Path) -> Played:
        scores = results.get("scores")
        try:
            return Played(float(scores[condition.slot]), workspace=workspace)  # type: ignore[index]
        except (TypeError, ValueError, IndexError, KeyError):
            raise OptimizeError(
                f"the results have no score for seat {condition.slot}", hint="`scores` needs one number per seat"
            ) from None

    def _request(self, condition: Condition) -> CoworldEpisodeJobSpec:
        request = fixture_request(
            self.package, variant_id=condition.variant, seed=condition.seed if self._seeded else None
        )
        others = self._others()
        mine: CoworldRunnableSpec = self.player.runnable()
        players = [
            mine if slot == condition.slot or not others else others[slot % len(others)]
            for slot in range(len(request.players))
        ]
        return request.model_copy(update={"players": players})

    def _others(self) -> list[CoworldRunnableSpec]:
        return self.opponents or [
            self.package.player(seat.player_id).runnable()
            for seat in self.package.manifest.certification.players
            if seat.player_id != self.player.id
        ]

    def _engine(self, version: Path) -> ProcessEngine:
        """Return an engine that maps the player's image to this version's folder."""
        if version not in self._engines:
            beside = LocalImages.beside(self.package.path)
            mapped = dict([parse_mapping(f"{self.player.image}={version}")])
            images = LocalImages((mapped, *beside.tables), beside.side_file)
            self._engines[version] = ProcessEngine(images, unsafe=self._unsafe)
        return self._engines[version]

    def _count(self, variant: str | None) -> int:
        fixture = self.package.manifest.certification
        config = fixture.game_config if variant is None else self.package.variant(variant).game_config
        return slot_count(
            self.package.config_schema, config, certification_players=len(fixture.players) if variant is None else None
        )


async def play_all(jobs: Sequence[Callable[[], Awaitable[None]]], workers: int) -> None:
    """Run the jobs, at most `workers` at a time; the first failure cancels the rest."""
    gate = asyncio.Semaphore(workers)

    async def run_job(job: Callable[[], Awaitable[None]]) -> None:
        async with gate:
            await job()

    tasks = [asyncio.create_task(run_job(job)) for job in jobs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
