"""Report every frame of an episode as an event log, `stats.parquet`.

Run it as `python -m coworld.examples.paintarena.reporter.stats_reporter` with `COGAME_REPORT_REQUEST` set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import BaseModel

from coworld.examples.paintarena.reporter.inputs import ReporterInputs, load_reporter_inputs, report_zip
from coworld.roles.event_log import EVERYBODY
from coworld.roles.event_log import Event as ParquetRow
from coworld.roles.report_checks import ReportManifest, write_event_log

__all__ = [
    "REPORTER_ID",
    "PaintArenaFrame",
    "PaintArenaReplay",
    "PaintArenaResults",
    "ParquetRow",
    "ReporterInputs",
    "build_zip_bytes",
    "load_reporter_inputs",
    "rows_from_episode",
    "run",
]

REPORTER_ID = "paint-arena-parquet-stats-reporter"


class PaintArenaFrame(BaseModel):
    tick: int
    width: int
    height: int
    positions: list[list[int]]
    tile_owners: list[int]
    scores: list[int]


class PaintArenaReplay(BaseModel):
    frames: list[PaintArenaFrame]


class PaintArenaResults(BaseModel):
    scores: list[float]
    painted_tiles: list[int]
    ticks: int


def rows_from_episode(replay: PaintArenaReplay, results: PaintArenaResults) -> list[ParquetRow]:
    """Return the rows of all frames, then those of the results; values are JSON."""
    return [*(row for frame in replay.frames for row in _frame_rows(frame)), *_result_rows(results)]


def build_zip_bytes(replay: PaintArenaReplay, results: PaintArenaResults) -> bytes:
    """Return the whole report as a zip."""
    return report_zip(
        ReportManifest(reporter_id=REPORTER_ID, event_log="stats.parquet"),
        {"stats.parquet": write_event_log(rows_from_episode(replay, results))},
    )


def run(inputs: ReporterInputs) -> None:
    """Read an episode's replay and results, and write its report; a failed episode is refused."""
    inputs.require_success()
    replay = PaintArenaReplay.model_validate_json(inputs.replay())
    inputs.write(build_zip_bytes(replay, PaintArenaResults.model_validate_json(inputs.results())))


def _frame_rows(frame: PaintArenaFrame) -> Iterator[ParquetRow]:
    yield _row(frame.tick, EVERYBODY, "scores", frame.scores)
    yield _row(frame.tick, EVERYBODY, "tile_owners", frame.tile_owners)
    yield _row(frame.tick, EVERYBODY, "arena", {"width": frame.width, "height": frame.height})
    for slot, position in enumerate(frame.positions):
        yield _row(frame.tick, slot, "position", position)
        yield _row(frame.tick, slot, "score", frame.scores[slot])


def _result_rows(results: PaintArenaResults) -> Iterator[ParquetRow]:
    yield _row(results.ticks, EVERYBODY, "final_results", results.model_dump())
    for slot, score in enumerate(results.scores):
        yield _row(results.ticks, slot, "final_score", score)
        yield _row(results.ticks, slot, "painted_tiles", results.painted_tiles[slot])


def _row(tick: int, player: int, key: str, value: object) -> ParquetRow:
    return ParquetRow(tick, player, key, json.dumps(value, separators=(",", ":")))


if __name__ == "__main__":
    run(load_reporter_inputs())
