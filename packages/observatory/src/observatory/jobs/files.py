"""The files of a job: their names and limits, which its game knows."""

from __future__ import annotations

from collections.abc import Sequence

from observatory import games
from observatory.database.tables.jobs import Job
from observatory.games import Game, GameMissing, OutputFile

__all__ = ["SERVER_FILES", "game_of", "output_files", "replay_files"]

SERVER_FILES = ("spec.json", "logs.txt")
"""files that the server writes when a job ends"""


def game_of(job: Job) -> Game:
    """Return the game of a job; `GameMissing` if it is not installed."""
    return games.find(games.engine_of(job.stored_spec if job.env_config_id is None else job.spec))


def output_files(job: Job) -> Sequence[OutputFile]:
    """Return the files that a worker may send; none if the game of the job is no longer installed."""
    try:
        return game_of(job).output_files(job.stored_spec)
    except GameMissing:
        return []


def replay_files(job: Job) -> list[str]:
    """Return the names of the files that expire as replays do."""
    return [file.name for file in output_files(job) if file.is_replay]
