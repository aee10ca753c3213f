"""The reporters of Paint Arena, through the request that the platform gives them."""

import asyncio
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
from pydantic import ValidationError

from coworld.examples.paintarena.game.match import Match
from coworld.examples.paintarena.reporter import paint_arena_summarizer, stats_reporter
from coworld.examples.paintarena.rules import Config
from coworld.models.reporter_request import (
    REPORT_REQUEST_ENV_VAR,
    ReporterArtifactRef,
    ReporterEpisodeArtifacts,
    ReporterEpisodeInput,
    ReporterEpisodeManifest,
    ReportRequest,
)
from coworld.roles.report_checks import read_report, validate_report_zip

REPORTERS = [paint_arena_summarizer, stats_reporter]
CONFIG = {"width": 4, "height": 4, "max_ticks": 3}
Write = Callable[..., Path]


@pytest.fixture
def request_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write an episode's files, set the request, and return where the report goes."""

    def write(
        results: dict[str, object],
        replay: str,
        *,
        status: Literal["success", "failed"] = "success",
        encoding: Literal["identity", "zlib"] = "identity",
    ) -> Path:
        (tmp_path / "results.json").write_text(json.dumps(results))
        data = replay.encode()
        (tmp_path / "replay").write_bytes(zlib.compress(data) if encoding == "zlib" else data)
        request = ReportRequest(
            request_id="request",
            episodes=[
                ReporterEpisodeInput(
                    episode_request_id="ereq_1",
                    status=status,
                    manifest=ReporterEpisodeManifest(ereq_id="ereq_1", status=status, include=["results"], files={}),
                    artifacts=ReporterEpisodeArtifacts(
                        results=ReporterArtifactRef(
                            uri=(tmp_path / "results.json").as_uri(), media_type="application/json"
                        ),
                        replay=ReporterArtifactRef(
                            uri=str(tmp_path / "replay"), media_type="application/json", encoding=encoding
                        ),
                    ),
                )
            ],
            report_uri=(tmp_path / "report.zip").as_uri(),
        )
        monkeypatch.setenv(REPORT_REQUEST_ENV_VAR, request.model_dump_json(exclude_none=True))
        return tmp_path / "report.zip"

    return write


def played() -> tuple[dict[str, object], str]:
    """Results and replay of a match without players, which plays to its end at once."""
    match = Match(Config(width=4, height=4, max_ticks=3, tick_rate=60.0, player_connect_timeout_seconds=0.0), CONFIG)
    asyncio.run(match.run())
    return match.results(), match.replay_text()


@pytest.mark.parametrize("reporter", REPORTERS)
@pytest.mark.parametrize("encoding", ["identity", "zlib"])
def test_a_match_of_ours_becomes_a_valid_report(request_episode: Write, reporter: ModuleType, encoding: str) -> None:
    place = request_episode(*played(), encoding=encoding)
    reporter.run(reporter.load_reporter_inputs())
    first = place.read_bytes()
    assert validate_report_zip(first).reporter_id == reporter.REPORTER_ID
    reporter.run(reporter.load_reporter_inputs())
    assert place.read_bytes() == first


def test_the_summary_names_winner_margin_and_shares() -> None:
    results = paint_arena_summarizer.PaintArenaResults(scores=[47.0, 38.0], painted_tiles=[47, 38], ticks=100)
    metadata = paint_arena_summarizer.EpisodeMetadata.model_validate(
        {"episode_id": "ep_1", "players": [{"slot": 0, "policy_name": "champ|ion"}, {"slot": 1}]}
    )
    replay = paint_arena_summarizer.PaintArenaReplay.model_validate({"config": {"width": 12, "height": 8}})
    stats = paint_arena_summarizer.build_stats(results, metadata, replay.config)
    assert (stats.winner_slot, stats.margin_tiles, stats.tie, stats.unpainted_tiles) == (0, 9, False, 11)
    assert [slot.policy_name for slot in stats.slots] == ["champ|ion", "Slot 1"]
    assert stats.slots[0].share_pct == 48.96
    report = read_report(paint_arena_summarizer.build_zip_bytes(results, metadata, replay))
    assert report.render is not None
    assert "Winner: champ\\|ion (slot 0), ahead by 9 tiles" in report.render[1]


@pytest.mark.parametrize(("tiles", "sentence"), [([0, 0], "painted no tiles"), ([5, 5], "is tied")])
def test_without_a_winner_the_summary_says_why(tiles: list[int], sentence: str) -> None:
    results = paint_arena_summarizer.PaintArenaResults(scores=[0.0, 0.0], painted_tiles=tiles, ticks=1)
    config = paint_arena_summarizer.ReplayConfig(width=4, height=4)
    stats = paint_arena_summarizer.build_stats(results, paint_arena_summarizer.EpisodeMetadata(), config)
    assert (stats.winner_slot, stats.margin_tiles) == (None, 0)
    assert sentence in paint_arena_summarizer.render_summary_markdown(stats)


def test_rows_hold_every_frame_and_the_results() -> None:
    frame = {"tick": 1, "width": 2, "height": 2, "positions": [[0, 0], [1, 0]], "tile_owners": [0, 1, -1, -1]}
    replay = stats_reporter.PaintArenaReplay.model_validate({"frames": [{**frame, "scores": [1, 1]}]})
    results = stats_reporter.PaintArenaResults(scores=[1.0, 1.0], painted_tiles=[1, 1], ticks=1)
    rows = stats_reporter.rows_from_episode(replay, results)
    assert [row.player for row in rows] == [-1, -1, -1, 0, 0, 1, 1, -1, 0, 0, 1, 1]
    assert [row.key for row in rows[:5]] == ["scores", "tile_owners", "arena", "position", "score"]
    assert read_report(stats_reporter.build_zip_bytes(replay, results)).events == rows


@pytest.mark.parametrize("reporter", REPORTERS)
def test_a_failed_episode_and_broken_files_get_no_report(request_episode: Write, reporter: ModuleType) -> None:
    results, replay = played()
    place = request_episode(results, replay, status="failed")
    with pytest.raises(RuntimeError, match="'failed'"):
        reporter.run(reporter.load_reporter_inputs())
    request_episode({"scores": [1.0]}, replay)
    with pytest.raises(ValidationError):
        reporter.run(reporter.load_reporter_inputs())
    assert not place.exists()


def test_without_a_request_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REPORT_REQUEST_ENV_VAR, raising=False)
    with pytest.raises(KeyError):
        paint_arena_summarizer.load_reporter_inputs()
