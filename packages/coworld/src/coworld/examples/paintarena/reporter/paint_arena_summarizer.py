"""Report who painted how much: `summary.md` to read and `stats.json` for programs.

Run it as `python -m coworld.examples.paintarena.reporter.paint_arena_summarizer` with `COGAME_REPORT_REQUEST` set.
"""

from __future__ import annotations

from pydantic import BaseModel, NonNegativeInt

from coworld.examples.paintarena.reporter.inputs import ReporterInputs, load_reporter_inputs, report_zip
from coworld.roles.report_checks import ReportManifest

__all__ = [
    "REPORTER_ID",
    "EpisodeMetadata",
    "GridStats",
    "PaintArenaReplay",
    "PaintArenaResults",
    "PaintArenaStats",
    "PlayerMetadata",
    "ReplayConfig",
    "ReporterInputs",
    "SlotStats",
    "build_stats",
    "build_zip_bytes",
    "load_reporter_inputs",
    "render_summary_markdown",
    "run",
]

REPORTER_ID = "paint-arena-summarizer"


class PlayerMetadata(BaseModel):
    slot: int
    policy_name: str | None = None


class EpisodeMetadata(BaseModel):
    """Metadata of an episode, besides its files."""

    episode_id: str | None = None
    variant_id: str = "unknown"
    duration_seconds: float | None = None
    players: list[PlayerMetadata] = []


class ReplayConfig(BaseModel):
    width: int
    height: int


class PaintArenaReplay(BaseModel):
    config: ReplayConfig


class PaintArenaResults(BaseModel):
    scores: list[float]
    painted_tiles: list[NonNegativeInt]
    ticks: int


class GridStats(BaseModel):
    width: int
    height: int
    total_tiles: int


class SlotStats(BaseModel):
    slot: int
    policy_name: str
    painted_tiles: int
    share_pct: float


class PaintArenaStats(BaseModel):
    """The outcome of an episode; `winner_slot` is None after a tie and when no tile was painted."""

    episode_id: str | None
    variant_id: str
    grid: GridStats
    ticks: int
    duration_seconds: float | None
    slots: list[SlotStats]
    unpainted_tiles: int
    unpainted_share_pct: float
    winner_slot: int | None
    margin_tiles: int
    tie: bool


def build_stats(results: PaintArenaResults, metadata: EpisodeMetadata, config: ReplayConfig) -> PaintArenaStats:
    """Return the outcome in numbers; shares are percentages of all tiles."""
    total = config.width * config.height
    painted = results.painted_tiles
    names = {player.slot: player.policy_name for player in metadata.players}
    best, second = [*sorted(painted, reverse=True), 0, 0][:2]
    leaders = [slot for slot, tiles in enumerate(painted) if tiles == best and best > 0]
    return PaintArenaStats(
        episode_id=metadata.episode_id,
        variant_id=metadata.variant_id,
        grid=GridStats(width=config.width, height=config.height, total_tiles=total),
        ticks=results.ticks,
        duration_seconds=metadata.duration_seconds,
        slots=[
            SlotStats(
                slot=slot,
                policy_name=names.get(slot) or f"Slot {slot}",
                painted_tiles=tiles,
                share_pct=_percent(tiles, total),
            )
            for slot, tiles in enumerate(painted)
        ],
        unpainted_tiles=total - sum(painted),
        unpainted_share_pct=_percent(total - sum(painted), total),
        winner_slot=leaders[0] if len(leaders) == 1 else None,
        margin_tiles=best - second,
        tie=len(leaders) > 1,
    )


def render_summary_markdown(stats: PaintArenaStats) -> str:
    """Return the page: the outcome in a sentence, then a table of the slots."""
    length = f"{stats.ticks} ticks" + (f", {stats.duration_seconds:g} s" if stats.duration_seconds is not None else "")
    lines = [
        "# PaintArena episode",
        "",
        f"Episode `{stats.episode_id or 'unknown'}`, variant `{stats.variant_id}`, "
        f"{stats.grid.width} x {stats.grid.height} tiles, {length}.",
        "",
        f"**{_outcome(stats)}**",
        "",
        "| Slot | Policy | Tiles | Share |",
        "| ---: | :--- | ---: | ---: |",
        *(f"| {s.slot} | {_cell(s.policy_name)} | {s.painted_tiles} | {s.share_pct:.1f}% |" for s in stats.slots),
        f"| | unpainted | {stats.unpainted_tiles} | {stats.unpainted_share_pct:.1f}% |",
    ]
    return "\n".join(lines) + "\n"


def build_zip_bytes(results: PaintArenaResults, metadata: EpisodeMetadata, replay: PaintArenaReplay) -> bytes:
    """Return the whole report as a zip."""
    stats = build_stats(results, metadata, replay.config)
    return report_zip(
        ReportManifest(reporter_id=REPORTER_ID, render="summary.md"),
        {
            "summary.md": render_summary_markdown(stats).encode(),
            "stats.json": stats.model_dump_json(indent=2).encode() + b"\n",
        },
    )


def run(inputs: ReporterInputs) -> None:
    """Read an episode's results and replay, and write its report; a failed episode is refused."""
    inputs.require_success()
    report = build_zip_bytes(
        PaintArenaResults.model_validate_json(inputs.results()),
        EpisodeMetadata(episode_id=inputs.episode.episode_request_id),
        PaintArenaReplay.model_validate_json(inputs.replay()),
    )
    inputs.write(report)


def _outcome(stats: PaintArenaStats) -> str:
    if stats.winner_slot is not None:
        winner = stats.slots[stats.winner_slot]
        return f"Winner: {_cell(winner.policy_name)} (slot {winner.slot}), ahead by {stats.margin_tiles} tiles"
    return "The episode is tied" if stats.tie else "The players painted no tiles"


def _cell(text: str) -> str:
    """Escape text so that it cannot break out of a table cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _percent(part: int, total: int) -> float:
    return round(100 * part / total, 2) if total else 0.0


if __name__ == "__main__":
    run(load_reporter_inputs())
