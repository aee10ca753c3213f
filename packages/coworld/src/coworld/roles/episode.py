"""The inputs of a supporting role: a bundle's files, and the standing of the seats.

Anything missing is None, because whoever asked for the bundle may not have been allowed to see it.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coworld.bundle.archives import ArchiveLimits
from coworld.bundle.reader import opened_bundle
from coworld.errors import CoworldError
from coworld.uris.transfer import read_uri

LIMITS = ArchiveLimits(member_bytes=256 << 20, total_bytes=1 << 30)


class RoleInputError(ValueError):
    """Invalid input of a role; the message says what is wrong and what the role needs."""


@dataclass(frozen=True)
class Episode:
    """One episode, read from a bundle."""

    id: str
    status: str
    results: Mapping[str, Any] | None = None
    replay: Mapping[str, Any] | None = None
    """the replay when it is a JSON object; other formats belong to their games"""
    error: Mapping[str, Any] | None = None
    player_logs: Mapping[int, str] = field(default_factory=dict)

    @property
    def scores(self) -> list[float]:
        """Return one number per seat; empty when the results have none."""
        return _numbers(self.results.get("scores") if self.results else None) or []

    @property
    def names(self) -> list[str]:
        """Return the names of the seats, as far as the replay has them."""
        given = self.replay.get("player_names") if self.replay else None
        names = [str(name) for name in given] if isinstance(given, list) else []
        return [names[slot] if slot < len(names) else f"Seat {slot}" for slot in range(len(self.scores))]


@dataclass(frozen=True)
class Standing:
    """How decided an episode was."""

    margin: float
    """between the best seat and the next"""
    total: float
    """the maximum: the tiles of the board, or the sum of all scores"""
    winner: int | None
    """None on a tie"""
    board: bool
    """the numbers are tiles"""

    @property
    def share(self) -> float:
        return round(self.margin / self.total, 4) if self.total else 0.0

    @property
    def scale(self) -> str:
        return "margin in tiles / tiles of the board" if self.board else "margin in score / sum of all scores"

    def document(self) -> dict[str, object]:
        """Return the numbers as graders and diagnosers write them."""
        numbers = {"margin": self.margin, "total": self.total}
        if self.board:
            numbers = {"margin_tiles": int(self.margin), "total_tiles": int(self.total)}
        return {"score": self.share, "scale": self.scale, **numbers, "winner_slot": self.winner}


def read_episode(uri: str) -> Episode:
    """Read the episode of the bundle at a URI.

    Raises:
        RoleInputError: the file is not a bundle.
        UriError: the file cannot be read.
    """
    try:
        with opened_bundle(read_uri(uri), limits=LIMITS) as bundle:
            replay = bundle.replay()
            return Episode(
                id=bundle.id or "episode",
                status=bundle.manifest.status,
                results=bundle.results(),
                replay=None if replay is None else _document(replay),
                error=bundle.error_info(),
                player_logs={slot: log.decode(errors="replace") for slot, log in bundle.player_logs().items()},
            )
    except CoworldError as error:
        raise RoleInputError(f"the episode bundle cannot be read: {error}") from error


def stand(episode: Episode) -> Standing:
    """Return how decided the episode was: by tiles of the board where the game has one, else by scores.

    Raises:
        RoleInputError: there are not enough numbers to compare.
    """
    results = episode.results or {}
    config = (episode.replay or {}).get("config")
    width, height = (config.get("width"), config.get("height")) if isinstance(config, dict) else (None, None)
    board = "painted_tiles" in results
    if board:
        counts = _numbers(results["painted_tiles"]) or []
        if len(counts) != 2:
            raise RoleInputError("`painted_tiles` must have exactly two counts")
        if not isinstance(width, int) or not isinstance(height, int):
            raise RoleInputError("a grade of tiles needs the replay's `config.width` and `config.height`")
        total = float(width * height)
    else:
        counts = episode.scores
        total = sum(abs(score) for score in counts)
    if len(counts) < 2:
        raise RoleInputError("a comparison needs `scores` of at least two seats in the results")
    best, second = sorted(counts, reverse=True)[:2]
    winner = counts.index(best) if best > second else None
    return Standing(best - second, total, winner, board=board)


def _numbers(values: object) -> list[float] | None:
    """Return the list as numbers; None when it is anything else."""
    if not isinstance(values, list):
        return None
    good = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    return [float(value) for value in values] if good and all(map(math.isfinite, values)) else None


def _document(data: bytes) -> dict[str, Any] | None:
    """Read a replay that is a JSON object, compressed or not; None for every other format."""
    try:
        if data.startswith((b"\x1f\x8b", b"\x78")):
            data = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32).decompress(data, LIMITS.member_bytes)
        document = json.loads(data)
    except (ValueError, zlib.error, RecursionError):
        return None
    return document if isinstance(document, dict) else None
