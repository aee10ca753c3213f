"""Metrics of an assay, which its game computes from the results of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from observatory import games
from softmax.wire import AxisScore, DiagnosisFinding, MissionMetrics

__all__ = ["PlayedEpisode", "find_weaknesses", "measure_missions", "score_axes"]

_Played = dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]]


@dataclass(frozen=True)
class PlayedEpisode:
    """A completed job of an assay."""

    mission: str
    spec: Mapping[str, Any]
    result: Mapping[str, Any]


def measure_missions(played: Sequence[PlayedEpisode]) -> dict[str, MissionMetrics]:
    """Return the metrics of every mission, in the requested order."""
    metrics: dict[str, MissionMetrics] = {}
    for engine, missions in _by_engine(played).items():
        metrics |= games.season_game(engine).measure_missions(missions)
    return {mission: metrics[mission] for mission in dict.fromkeys(episode.mission for episode in played)}


def score_axes(played: Sequence[PlayedEpisode]) -> list[AxisScore]:
    """Return scores of the axes for which a mission was played."""
    by_engine = _by_engine(played)
    return [score for engine, missions in by_engine.items() for score in games.season_game(engine).score_axes(missions)]


def find_weaknesses(played: Sequence[PlayedEpisode]) -> list[DiagnosisFinding]:
    """Return the weaknesses of a policy, the worst first."""
    by_engine = _by_engine(played)
    return [
        finding for engine, missions in by_engine.items() for finding in games.season_game(engine).diagnose(missions)
    ]


def _by_engine(played: Sequence[PlayedEpisode]) -> dict[str, _Played]:
    """Return for each engine its missions with (job, result) of their episodes."""
    by_engine: dict[str, _Played] = {}
    for episode in played:
        missions = by_engine.setdefault(games.engine_of(episode.spec), {})
        missions.setdefault(episode.mission, []).append((episode.spec, episode.result))
    return by_engine
