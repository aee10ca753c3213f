"""Statistics of Paint Arena replays: `coworld stats extract-paintarena INPUTS.json OUTDIR`.

`INPUTS.json` is a list of objects with `path`, `episode_id`, `game_id`, `game_build_id`, `replay_sha256`, `policies`
(a list of `{id, sha256}`) and `context`; paths start at its folder. In the output folder: `episodes/` with one file per
measured episode and `batches/` with one per run, both named by their contents; `stats.json`, the newest batch;
`report.html`. A replay that cannot be measured is a failure in the batch and never a zero.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from coworld.errors import DocumentError, Problem, SourceError
from coworld.schema.base import DocumentModel
from coworld.stats import (
    EpisodeStats,
    MeasuredValue,
    MetricDefinition,
    MissingValue,
    NoOpportunities,
    SeatStats,
    StatsBlock,
    StatsFailure,
    StatsProvenance,
    stats_text,
)
from coworld.stats.models import Sha256, Word
from coworld.stats.page import render_stats
from coworld.uris.manifests import decompress_replay
from coworld.uris.transfer import write_uri

__all__ = ["METRICS", "ReplayInput", "extract_batch", "measure", "read_inputs"]

EXTRACTOR = "coworld.stats.paintarena"
EXTRACTOR_VERSION = "1"


def _metric(
    name: str, title: str, category: str, unit: str, kind: str, description: str, denominator: str | None = None
) -> MetricDefinition:
    return MetricDefinition.model_validate(
        {
            "id": f"paintarena.{name}",
            "version": 1,
            "name": title,
            "category": category,
            "unit": unit,
            "kind": kind,
            "description": description,
            "eligibility": "Every seat of every replay",
            "denominator": denominator,
            "aggregation": "Add counts and denominators over episodes" if kind == "rate" else "Mean over episodes",
            "interpretation": "More tiles win" if category == "outcome" else "How the seat played, not how well",
        }
    )


METRICS = [
    _metric("executed_transitions", "Moves made", "direct", "ticks", "count",
            "Ticks after the first recorded one in which the seat stood on another tile than before"),
    _metric("active_fraction", "Share of ticks with a move", "direct", "fraction", "rate",
            "Moves made as a share of the ticks in which one could be seen", "Recorded ticks without the first"),
    _metric("submitted_commands", "Commands sent", "direct", "commands", "count",
            "Messages the player sent to the game"),
    _metric("purchase_fraction", "Share of purchases made", "opportunity_dependent", "fraction", "rate",
            "Purchases made as a share of those that were possible", "Purchases that were possible"),
    _metric("final_tiles", "Tiles at the end", "outcome", "tiles", "count", "Tiles the seat owns after the last tick"),
]  # fmt: skip


class PolicyInput(DocumentModel):
    """The policy in a seat."""

    id: Word | None = None
    sha256: Sha256 | None = None


class ReplayInput(DocumentModel):
    """One replay to measure."""

    path: Word
    episode_id: Word
    game_id: Word
    game_build_id: Word | None = None
    replay_sha256: Sha256
    policies: list[PolicyInput] = Field(default_factory=list)
    context: dict[str, JsonValue] = Field(default_factory=dict)

    def provenance(self) -> StatsProvenance:
        return StatsProvenance(
            episode_id=self.episode_id,
            game_id=self.game_id,
            game_build_id=self.game_build_id,
            replay_sha256=self.replay_sha256,
            extractor_id=EXTRACTOR,
            extractor_version=EXTRACTOR_VERSION,
            context=self.context,
        )


class _NotMeasured(Exception):
    """A replay that is missing, has another digest, or is not of Paint Arena."""


def read_inputs(path: Path) -> list[ReplayInput]:
    """Read the list of replays.

    Raises:
        SourceError: it is missing or not JSON.
        DocumentError: an entry is wrong.
    """
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{path} cannot be read: {error}", hint="write a JSON list of replays") from None
    try:
        inputs = TypeAdapter(list[ReplayInput]).validate_python(document, extra="forbid")
    except ValidationError as error:
        problems = [
            Problem(".".join(map(str, detail["loc"])), detail["msg"], "see `coworld docs stats`")
            for detail in error.errors()
        ]
        raise DocumentError(problems) from None
    names = [entry.episode_id for entry in inputs]
    if not names or len(set(names)) != len(names):
        message = "an episode comes twice" if names else "there is no replay in the list"
        raise DocumentError([Problem("", message, "write each episode once")])
    return inputs


def extract_batch(inputs: Path, output: Path, *, workers: int = 4) -> StatsBlock:
    """Measure every replay of a list and write the output folder; the same list gives the same bytes."""
    listed = read_inputs(inputs)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        outcomes = list(pool.map(lambda entry: _extract(entry, inputs.parent), listed))
    block = StatsBlock(
        schema_version="coworld.stats.v1",
        episodes=[outcome for outcome in outcomes if isinstance(outcome, EpisodeStats)],
        failures=[outcome for outcome in outcomes if isinstance(outcome, StatsFailure)],
    )
    for episode in block.episodes:
        text = json.dumps(episode.model_dump(mode="json"), indent=2, sort_keys=True, allow_nan=False) + "\n"
        _write(output / "episodes" / f"{hashlib.sha256(text.encode()).hexdigest()}.json", text)
    text = stats_text(block)
    _write(output / "batches" / f"{hashlib.sha256(text.encode()).hexdigest()}.json", text)
    _write(output / "stats.json", text)
    _write(output / "report.html", render_stats(block))
    return block


def measure(replay: Any, policies: Sequence[PolicyInput] = ()) -> list[SeatStats]:
    """Measure every seat of a replay.

    Raises:
        ValueError: it is no Paint Arena replay.
    """
    try:
        frames = replay["frames"]
        names = replay["player_names"]
        places = [[tuple(place) for place in frame["positions"]] for frame in frames]
        tiles = [int(count) for count in replay["results"]["painted_tiles"]]
        if not frames or len(tiles) != len(names) or any(len(row) != len(names) for row in places):
            raise ValueError("its frames and results have other numbers of seats than it has names")
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"it is not a Paint Arena replay: {type(error).__name__} {error}") from None
    return [
        _seat(
            slot, [row[slot] for row in places], tiles[slot], policies[slot] if slot < len(policies) else PolicyInput()
        )
        for slot in range(len(names))
    ]


def _seat(slot: int, places: Sequence[tuple[Any, ...]], tiles: int, policy: PolicyInput) -> SeatStats:
    steps = len(places) - 1
    moved = sum(before != after for before, after in pairwise(places))
    share: MeasuredValue | NoOpportunities = NoOpportunities(metric_id=METRICS[1].id, status="no_opportunities")
    if steps:
        share = MeasuredValue(
            metric_id=METRICS[1].id, status="measured", value=moved / steps, count=moved, denominator=steps
        )
    return SeatStats(
        seat_id=str(slot),
        policy_id=policy.id,
        policy_sha256=policy.sha256,
        measurements=[
            MeasuredValue(metric_id=METRICS[0].id, status="measured", value=float(moved), count=moved),
            share,
            MissingValue(metric_id=METRICS[2].id, status="missing", reason="A replay does not keep what players sent"),
            MissingValue(metric_id=METRICS[3].id, status="unsupported", reason="Nothing is bought in Paint Arena"),
            MeasuredValue(metric_id=METRICS[4].id, status="measured", value=float(tiles), count=tiles),
        ],
    )


def _extract(entry: ReplayInput, folder: Path) -> EpisodeStats | StatsFailure:
    try:
        data = (folder / entry.path).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        if digest != entry.replay_sha256:
            raise _NotMeasured(f"the file has the sha256 {digest}")
        seats = measure(json.loads(decompress_replay(data, name=entry.path)), entry.policies)
        return EpisodeStats(provenance=entry.provenance(), metrics=METRICS, seats=seats)
    except (OSError, ValueError, RecursionError, _NotMeasured) as error:
        return StatsFailure(provenance=entry.provenance(), reason=str(error) or type(error).__name__)


def _write(path: Path, text: str) -> None:
    write_uri(str(path), text.encode())
