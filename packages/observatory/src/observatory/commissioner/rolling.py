"""Roll seasons over automatically: a complete season starts again as a new version."""

from __future__ import annotations

import logging
import uuid
from datetime import datetime, timedelta

from sqlalchemy import select

from observatory.commissioner.reading import config_of
from observatory.database import Database
from observatory.database.tables.seasons import Season
from observatory.seasons.creation import roll_season

__all__ = ["roll_due_seasons", "rolls_at"]

logger = logging.getLogger(__name__)


def rolls_at(season: Season) -> datetime | None:
    """Return when a complete season rolls over; None when only an operator rolls it.

    That is the first configured hour of the day after its end, or the configured delay after its end, whichever is
    earlier.
    """
    if season.completed_at is None or season.disabled_at is not None or not season.canonical:
        return None
    times = []
    if season.auto_roll_hour_utc is not None:
        time = season.completed_at.replace(hour=season.auto_roll_hour_utc, minute=0, second=0, microsecond=0)
        times.append(time if time > season.completed_at else time + timedelta(days=1))
    pause = config_of(season).rolling.after_minutes
    if pause is not None:
        times.append(season.completed_at + timedelta(minutes=pause))
    return min(times, default=None)


def roll_due_seasons(database: Database, now: datetime) -> list[uuid.UUID]:
    """Roll every season whose time has come; the ids of the new ones."""
    with database.read() as session:
        ended = session.scalars(select(Season).where(Season.canonical, Season.completed_at.is_not(None)))
        due = [season.id for season in ended if (time := rolls_at(season)) is not None and time <= now]
    new_ids = []
    for season_id in due:
        with database.transaction() as session:
            season = session.get_one(Season, season_id)
            if season.canonical:
                new = roll_season(session, season, now=now)
                logger.info("Season %s rolled over to version %d", new.name, new.version)
                new_ids.append(new.id)
    return new_ids
