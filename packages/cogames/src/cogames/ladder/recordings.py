"""Record the replays of chosen games by playing them again: episodes are repeatable, and most are never watched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from cogames.episodes.executors import Executor
from cogames.ladder.folder import REPLAYS, LadderFolder
from cogames.ladder.games import Game
from cogames.ladder.plan import Ladder
from cogames.ladder.records import GameRecord, make_record
from cogames.ladder.results import ReplayRow
from cogames.ladder.telling import TellingGame
from softmax.cli.text import decimal

__all__ = ["Recording", "record_games"]

UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Recording:
    """A replay file with its row in the results."""

    row: ReplayRow
    path: Path


def record_games(
    ladder: Ladder,
    folder: LadderFolder,
    chosen: Sequence[TellingGame],
    records: Mapping[Game, GameRecord],
    *,
    executor: Executor,
) -> list[Recording]:
    """Record the games that have no replay yet, and return all in the given order.

    A game that ends differently the second time has a policy that is not deterministic: its replay shows the second
    game, and the caption says so.
    """
    missing = [each.game for each in chosen if _recorded(folder, each.game) is None]
    if missing:
        unfinished = folder.path / REPLAYS / UNFINISHED
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        paths = [unfinished / folder.replay(game).name for game in missing]
        sources = ladder.sources()
        plans = [ladder.episode(game, sources, path) for game, path in zip(missing, paths, strict=True)]
        outcomes = executor.play(plans, in_this_process=False)
        for game, path, outcome in zip(missing, paths, outcomes, strict=True):
            os.replace(path, folder.replay(game))
            folder.write(f"{REPLAYS}/{game.key}.json", make_record(ladder, game, outcome).model_dump_json(indent=1))
        shutil.rmtree(unfinished)  # with parts that dead workers left
    recordings = []
    for each in chosen:
        played = _recorded(folder, each.game)
        assert played is not None
        path = folder.replay(each.game)
        row = ReplayRow(
            title=each.title,
            caption=_caption(ladder, each.game, played, records[each.game]),
            game=each.game.key,
            file=f"{REPLAYS}/{path.name}",
        )
        recordings.append(Recording(row, path))
    return recordings


def _recorded(folder: LadderFolder, game: Game) -> GameRecord | None:
    """Return the record of the game as it was recorded; None if its replay is not complete."""
    try:
        record = GameRecord.model_validate_json((folder.path / REPLAYS / f"{game.key}.json").read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return record if folder.replay(game).is_file() else None


def _caption(ladder: Ladder, game: Game, played: GameRecord, record: GameRecord) -> str:
    names = [ladder.entrants[side.entrant].name for side in played.sides]
    sides = list(zip(names, played.sides, strict=True))
    scores = ", ".join(f"{name} {decimal(side.score)}" for name, side in sides)
    failures = "".join(f"; {name} {side.status.replace('_', ' ')}" for name, side in sides if side.failed)
    same = played.model_dump(exclude={"last_words"}) == record.model_dump(exclude={"last_words"})
    repeated = "" if same else "; another game with the same seed, because a policy is not deterministic"
    return f"{ladder.missions[game.mission].name}, map {game.number + 1}: {scores}{failures}{repeated}"
