"""The running and waiting jobs, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.commissioner.loop import Commissioner
from observatory.jobs.workers_seen import WorkersSeen
from observatory.pages import repository
from observatory.pages.queued_jobs import PRIVATE, job_lines
from observatory.pages.schemas import CommissionerNote, QueuedMatch, QueuePage, RunningMatch, WorkerLine
from observatory.seasons import repository as seasons

__all__ = ["queue_page"]

MAX_SHOWN = 100


def queue_page(
    session: Session,
    principal: Principal | None,
    commissioner: Commissioner | None,
    workers: WorkersSeen,
    *,
    now: datetime,
) -> QueuePage:
    """Return the queue as the caller may see it: of a private job only its place."""
    running = repository.in_work(session)
    waiting = repository.waiting_jobs(session, MAX_SHOWN)
    lines = job_lines(session, [job.id for job in running] + [job for job, *_ in waiting], principal)
    is_admin = principal is not None and principal.is_admin
    last_seen = workers.recent(now)
    names = {name: name if is_admin else f"worker {number}" for number, name in enumerate(sorted(last_seen), 1)}
    why = "Waits for a free worker" if last_seen else "Waits for a worker; none is connected"
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
                **dict(lines.get(job, PRIVATE)),
                place=place,
                queued_at=at,
                why=why if place == 1 else f"{why}; {place - 1} before it",
            )
            for place, (job, at, _) in enumerate(waiting, 1)
        ],
        queued_total=repository.waiting_count(session),
        workers=[
            WorkerLine(name=names[name], seen_seconds_ago=(now - at).total_seconds())
            for name, at in sorted(last_seen.items())
        ],
        commissioner=_notes(session, principal, commissioner),
    )


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
