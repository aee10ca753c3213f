"""The running and waiting jobs, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.commissioner.loop import Commissioner
from observatory.database.tables.workers import ConnectedWorker
from observatory.jobs import workers_seen
from observatory.jobs.fair_queue import Turn, required_labels
from observatory.jobs.labels import labels_text
from observatory.jobs.shares import lane_of
from observatory.pages import repository
from observatory.pages.queue_shares import share_lines
from observatory.pages.queued_jobs import PRIVATE, job_lines
from observatory.pages.schemas import CommissionerNote, QueuedMatch, QueuePage, RunningMatch, WorkerLine
from observatory.seasons import repository as seasons

__all__ = ["queue_page"]

MAX_SHOWN = 100


def queue_page(
    session: Session,
    principal: Principal | None,
    commissioner: Commissioner | None,
    *,
    now: datetime,
) -> QueuePage:
    """Return the queue as the caller may see it: of a private job only its place."""
    running = repository.in_work(session)
    waiting = repository.waiting_jobs(session, MAX_SHOWN)
    lines = job_lines(session, [job.id for job in running] + [turn.job_id for turn in waiting], principal)
    shares = share_lines(session, principal)
    is_admin = principal is not None and principal.is_admin
    connected = workers_seen.recent(session, now)
    last_seen = {name: row.last_seen_at for name, row in connected.items()}
    taking = workers_seen.taking_jobs(session, connected)
    required = required_labels(session, {turn.group for turn in waiting})
    names = {name: name if is_admin else f"worker {number}" for number, name in enumerate(sorted(last_seen), 1)}
    return QueuePage(
        running=[
            RunningMatch(
                **dict(lines.get(job.id, PRIVATE)),
                since=job.running_at or job.dispatched_at,
                worker=_worker(job.worker, names, is_admin=is_admin),
            )
            for job in running
        ],
        queued=[
            QueuedMatch(
                **dict(lines.get(turn.job_id, PRIVATE)),
                place=place,
                queued_at=turn.queued_at,
                why=_why(place, required.get(turn.group, []), connected, taking),
            )
            for place, turn in _places(waiting)
        ],
        queued_total=repository.waiting_count(session),
        shares=shares,
        workers=[
            WorkerLine(name=names[name], seen_seconds_ago=(now - at).total_seconds())
            for name, at in sorted(last_seen.items())
        ],
        commissioner=_notes(session, principal, commissioner),
    )


def _places(waiting: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    """Yield each waiting job with its place in its lane."""
    places: Counter[str] = Counter()
    for turn in waiting:
        lane = lane_of(turn.group)
        places[lane] += 1
        yield places[lane], turn


def _why(place: int, required: Sequence[str], connected: Collection[str], taking: Sequence[ConnectedWorker]) -> str:
    if not connected:
        return "Waits for a worker; none is connected"
    if not taking:
        return "Waits for a worker; no connected worker takes jobs now"
    if not workers_seen.can_play(taking, required):
        return f"Waits for a worker with the {labels_text(required)}; none is connected"
    return "Next, as soon as a worker is free" if place == 1 else f"Waits for a free worker; {place - 1} before it"


def _worker(name: str | None, names: Mapping[str, str], *, is_admin: bool) -> str | None:
    return name if is_admin or name is None else names.get(name, "a worker")


def _notes(session: Session, principal: Principal | None, commissioner: Commissioner | None) -> list[CommissionerNote]:
    if commissioner is None:
        return []
    last = dict(commissioner.last)
    return [
        CommissionerNote(
            season=season.name,
            at=last[season.id].at,
            scheduled=last[season.id].queued,
            sentence=last[season.id].why,
            failed=last[season.id].failed,
        )
        for season in seasons.seasons(session, principal)
        if season.id in last
    ]
