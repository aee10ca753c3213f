"""Operators' actions on seasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.seasons import Season, SeasonLife
from observatory.errors import Conflict, Unprocessable
from observatory.events import Change, ChangeKind
from observatory.jobs.shares import season_group, set_group
from observatory.seasons.config import SeasonPreset
from observatory.seasons.creation import (
    cancel_waiting,
    create_season,
    end_season,
    make_default,
    open_draft,
    rewrite_draft,
    roll_season,
)
from observatory.seasons.repository import has_entrants
from observatory.seasons.sources import env_config_of_game, parse_preset, preset_of, preset_text

__all__ = [
    "Outcome",
    "SeasonDescription",
    "back_to_draft",
    "close",
    "create",
    "describe",
    "edit",
    "open_season",
    "reopen",
    "roll",
    "source_of",
]


@dataclass(frozen=True)
class SeasonDescription:
    """A season description and its game. Building the game is slow: do it outside a transaction."""

    text: str
    preset: SeasonPreset
    env: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The result of a change to a season."""

    season: Season
    change: Literal["created", "edited", "unchanged", "new_version", "closed", "opened", "draft"]
    sentence: str


def describe(text: str) -> SeasonDescription:
    """Read a season; `Unprocessable` with the place of the first mistake."""
    preset = parse_preset(text)
    return SeasonDescription(text, preset, env_config_of_game(preset.play.game))


def source_of(season: Season) -> str:
    """Return the season as YAML: the original text, or one generated from the stored season if it has none."""
    return season.source or preset_text(preset_of(season))


def create(session: Session, description: SeasonDescription, *, now: datetime, draft: bool = False) -> Outcome:
    """Create a season with a new name; a draft waits until it is opened."""
    name = description.preset.name
    if session.scalars(select(Season.id).where(Season.name == name)).first() is not None:
        raise Conflict(f"There is a season {name!r} already; edit it, or roll it for a new version")
    season = create_season(session, description.preset, description.env, now=now, source=description.text, draft=draft)
    return Outcome(season, "created", f"Made a draft of {name}" if draft else f"Made {name}, version 1")


def edit(session: Session, season: Season, description: SeasonDescription, *, now: datetime) -> Outcome:
    """Edit a season: texts, visibility and rolling change in place; changed rules create a new version."""
    preset, before = description.preset, preset_of(season)
    if preset.name != season.name:
        raise Unprocessable(f"name: this is season {season.name!r}; make a season {preset.name!r} with `create`")
    if not season.canonical:
        raise Conflict(f"Version {season.version} of {season.name!r} has ended; only the last one can be edited")
    if season.life is SeasonLife.DRAFT:
        if preset == before and season.source == description.text:
            return Outcome(season, "unchanged", f"The draft of {season.name} is unchanged")
        rewrite_draft(session, season, preset, description.env, source=description.text, now=now)
        return Outcome(season, "edited", f"Changed the draft of {season.name}")
    if not preset.plays_as(before):
        new_season = create_season(session, preset, description.env, now=now, source=description.text)
        sentence = (
            f"The rules changed: {new_season.name} has a new version {new_season.version}, "
            f"and version {season.version} ended"
        )
        return Outcome(new_season, "new_version", sentence)
    if preset == before and season.source == description.text:
        return Outcome(season, "unchanged", f"{season.name} is unchanged")
    season.display_name, season.summary = preset.display_name, preset.summary
    season.game_description, season.public = preset.game_description, preset.public
    season.auto_roll_hour_utc, season.config, season.source = (
        preset.auto_roll_hour_utc,
        preset.stored(),
        description.text,
    )
    rolling = preset.play.rolling
    set_group(session, season_group(season.id), weight=rolling.queue_weight, worker_labels=rolling.worker_labels)
    if preset.is_default:
        make_default(session, season)
    season.is_default = preset.is_default
    session.flush()
    _changed(session, season)
    return Outcome(season, "edited", f"Changed {season.name}, version {season.version}")


def roll(session: Session, season: Season, *, now: datetime) -> Outcome:
    """Create a new version with new pools and a new seed."""
    if not season.canonical:
        raise Conflict(f"Version {season.version} of {season.name!r} is not the last one; roll that")
    if season.life is SeasonLife.DRAFT:
        raise Conflict(f"Season {season.name!r} is a draft; open it first")
    new_season = roll_season(session, season, now=now)
    return Outcome(
        new_season,
        "new_version",
        f"{new_season.name} has a new version {new_season.version}; {season.version} has ended",
    )


def close(session: Session, season: Season, *, final: bool, now: datetime, by: str, reason: str = "") -> Outcome:
    """Stop submissions, cancel waiting matches. Only `final` ends the season: its seeds then become public.

    Matches in play are finished and count. `by` and `reason` are shown with the cancelled matches.
    """
    if season.life is SeasonLife.DRAFT:
        raise Conflict(f"Season {season.name!r} is a draft, which takes no policies and plays no matches")
    if season.disabled_at is not None and not (final and season.completed_at is None):
        raise Conflict(f"Season {season.name!r} is closed already")
    season.disabled_at = season.disabled_at or now
    why = f": {reason}" if reason else ""
    cancelled = cancel_waiting(session, season, f"Cancelled by {by}, who closed the season{why}", now=now)
    if final:
        end_season(session, season, now=now)
    session.flush()
    _changed(session, season)
    state = "has ended, and its seeds can be read" if final else "is closed; `open` reopens it"
    matches = (
        "" if not cancelled else f"; {cancelled} waiting {'match was' if cancelled == 1 else 'matches were'} cancelled"
    )
    return Outcome(season, "closed", f"{season.name}, version {season.version}, {state}{matches}")


def open_season(session: Session, season: Season, *, now: datetime) -> Outcome:
    """Open a draft."""
    open_draft(session, season, preset_of(season), now=now)
    state = "plays" if season.life is SeasonLife.PLAYING else "takes policies; start it when all are in"
    return Outcome(season, "opened", f"{season.name} is open and {state}")


def back_to_draft(session: Session, season: Season, *, now: datetime) -> Outcome:
    """Undo the opening of a season that no policy has entered."""
    if season.life not in (SeasonLife.OPEN, SeasonLife.PLAYING):
        raise Conflict(f"Season {season.name!r} is {season.life.value}; only an open season can become a draft again")
    if has_entrants(session, season.id):
        raise Conflict(f"Season {season.name!r} has policies already; close it instead")
    if season.version > 1:
        raise Conflict(f"Season {season.name!r} has an earlier version, which has ended; close it instead")
    season.opened_at = season.started_at = None
    season.disabled_at, season.is_default = now, False
    session.flush()
    _changed(session, season)
    return Outcome(season, "draft", f"{season.name} is a draft again; only administrators see it")


def reopen(session: Session, season: Season) -> Outcome:
    """Undo `close`; the caller schedules the cancelled matches again."""
    if season.completed_at is not None:
        raise Conflict(f"Season {season.name!r} has ended and its seeds are known; roll it for a new version")
    if season.disabled_at is None:
        raise Conflict(f"Season {season.name!r} is open")
    season.disabled_at = None
    session.flush()
    _changed(session, season)
    return Outcome(season, "opened", f"{season.name}, version {season.version}, is open again")


def _changed(session: Session, season: Season) -> None:
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))
