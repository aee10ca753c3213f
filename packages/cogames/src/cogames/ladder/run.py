"""Play a ladder: schedule duels, play their games once, write the outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cogames.episodes.executors import Executor, LocalExecutor
from cogames.ladder.duels import Duel, judge
from cogames.ladder.folder import LadderFolder
from cogames.ladder.games import DuelKey, Game
from cogames.ladder.outputs import write_outputs
from cogames.ladder.pairing import SwissRound, all_pairs, swiss_round
from cogames.ladder.plan import Ladder
from cogames.ladder.recordings import record_games
from cogames.ladder.records import GameRecord, make_record
from cogames.ladder.results import LadderResults
from cogames.ladder.summary import make_results
from cogames.ladder.telling import choose_games
from mettagrid.runner.episode import EpisodeOutcome

__all__ = ["DEFAULT_REPLAYS", "PlayedLadder", "play_ladder"]

DEFAULT_REPLAYS = 6

Progress = Callable[[int, int], None]
"""called with the number of finished games and the number that is known to be needed"""


@dataclass(frozen=True)
class PlayedLadder:
    """The results of a ladder, its folder and the records of its games."""

    results: LadderResults
    folder: Path
    records: Sequence[GameRecord]

    @property
    def report(self) -> Path:
        return self.folder / "report.html"


def play_ladder(
    ladder: Ladder,
    folder: Path,
    *,
    jobs: int | None = None,
    replays: int = DEFAULT_REPLAYS,
    on_progress: Progress | None = None,
    executor: Executor | None = None,
) -> PlayedLadder:
    """Play all games that the folder lacks, in `jobs` processes or by an `executor`, and write results and report.

    Calling it again with the same ladder continues a run that was stopped. Outputs depend on the plan alone, as long as
    the policies are deterministic and no deadline is missed. `replays` is the most replays to record for the report.
    """
    with LadderFolder.opened(folder, ladder) as opened:
        executor = executor or LocalExecutor(jobs)
        match = _Match(ladder, opened, executor, on_progress)
        duels, rounds = match.swiss() if ladder.system == "swiss" else (match.duels(_all_duels(ladder)), [])
        results = make_results(ladder, duels, match.records, rounds)
        telling = choose_games(ladder, results, duels, match.records, replays)
        recordings = record_games(ladder, opened, telling, match.records, executor=executor)
        results = results.model_copy(update={"replays": [recording.row for recording in recordings]})
        write_outputs(opened, results, recordings)
        return PlayedLadder(results, folder, [match.records[game] for game in sorted(match.records)])


def _all_duels(ladder: Ladder) -> list[DuelKey]:
    return _duels_of(ladder, all_pairs(len(ladder.entrants)), range(ladder.maps))


def _duels_of(ladder: Ladder, pairs: Iterable[tuple[int, int]], numbers: Iterable[int]) -> list[DuelKey]:
    numbers = list(numbers)
    return [
        DuelKey(pair, mission, number)
        for pair in pairs
        for mission in range(len(ladder.missions))
        for number in numbers
    ]


class _Match:
    """Plays games and remembers their records."""

    def __init__(self, ladder: Ladder, folder: LadderFolder, executor: Executor, on_progress: Progress | None) -> None:
        self.records: dict[Game, GameRecord] = {}
        self._ladder = ladder
        self._folder = folder
        self._executor = executor
        self._on_progress = on_progress
        self._sources = ladder.sources()

    def duels(self, keys: Sequence[DuelKey]) -> list[Duel]:
        """Play the games of the duels that have not been played, and decide the duels."""
        self._play(sorted({game for key in keys for game in self._ladder.games_of(key)} - self.records.keys()))
        return [judge(self._ladder, key, self.records) for key in keys]

    def swiss(self) -> tuple[list[Duel], list[SwissRound]]:
        """Play round after round; each has new maps. A win of all duels of a round is one point, and so is a bye."""
        ladder = self._ladder
        points = [0.0] * len(ladder.entrants)
        duels: list[Duel] = []
        rounds: list[SwissRound] = []
        for number in range(ladder.rounds):
            rounds.append(swiss_round(points, rounds))
            maps = range(number * ladder.maps, (number + 1) * ladder.maps)
            played = self.duels(_duels_of(ladder, rounds[-1].pairs, maps))
            share = 1 / (ladder.maps * len(ladder.missions))
            for duel in played:
                first, second = duel.key.pair
                points[first] += share * duel.result
                points[second] += share * (1 - duel.result)
            if rounds[-1].bye is not None:
                points[rounds[-1].bye] += 1
            duels += played
        return duels, rounds

    def _play(self, games: Sequence[Game]) -> None:
        missing = []
        for game in games:
            record = self._folder.load(game)
            if record is None:
                missing.append(game)
            else:
                self.records[game] = record
        total = len(self.records) + len(missing)
        self._report(total)

        def finish(number: int, outcome: EpisodeOutcome) -> None:
            record = make_record(self._ladder, missing[number], outcome)
            self._folder.save(missing[number], record)
            self.records[missing[number]] = record
            self._report(total)

        plans = [self._ladder.episode(game, self._sources) for game in missing]
        self._executor.play(plans, on_progress=finish, in_this_process=False)

    def _report(self, total: int) -> None:
        if self._on_progress is not None:
            self._on_progress(len(self.records), total)
