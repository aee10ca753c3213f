"""Explain a match: the explanation that its worker computed, and its failures with their places in the logs."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import IN_FLIGHT
from observatory.database.tables.policies import PolicyVersion
from observatory.jobs.logs import log_name
from observatory.matches import repository
from observatory.store import Missing, Store, job_key
from softmax.wire import Explanation, LogPlace, MatchExplanation, PolicyFailure

__all__ = ["EXPLANATION", "NOT_ENDED", "explain_job", "explain_match"]

EXPLANATION = "explanation.json"
NOT_ENDED = MatchExplanation(why_not="The match has not ended yet", failures=[])
MAX_BYTES = 1 << 20
MAX_LINES, MAX_LETTERS = 24, 300
_FAILURE = re.compile(r"^(?:The policy failed|Fatal Python error:|Timeout \(|Traceback \(most recent call last\))")


def explain_match(session: Session, match_id: uuid.UUID, principal: Principal | None, store: Store) -> MatchExplanation:
    """Return what decided a match, as far as the caller may see it."""
    match = repository.match(session, match_id, principal)
    if match.status in IN_FLIGHT or match.job_id is None:
        return NOT_ENDED
    versions = [player.pool_player.policy_version for player in match.players]
    return explain_job(session.get_one(Job, match.job_id), versions, match.assignments, principal, store)


def explain_job(
    job: Job, versions: Sequence[PolicyVersion], assignments: Sequence[int], principal: Principal | None, store: Store
) -> MatchExplanation:
    """Return what decided a job that has ended; `versions` are its policies. Places in logs are for their owners."""
    explanation = _stored(store, job.id)
    return MatchExplanation(
        explanation=explanation,
        why_not=None if explanation is not None else _why_not(job),
        failures=_failures(job, versions, assignments, principal, store),
    )


def _stored(store: Store, job_id: uuid.UUID) -> Explanation | None:
    """Return the worker's file; None if it is missing or malformed."""
    key = job_key(job_id, EXPLANATION)
    if (store.size(key) or MAX_BYTES + 1) > MAX_BYTES:
        return None
    try:
        return Explanation.model_validate_json(store.get(key))
    except (Missing, ValidationError):
        return None


def _why_not(job: Job) -> str:
    if job.result is None:
        return "The episode was not played to its end, so there are no timelines"
    return "There are no timelines: the game does not record them, or the match is older than they are"


def _failures(
    job: Job, versions: Sequence[PolicyVersion], assignments: Sequence[int], principal: Principal | None, store: Store
) -> list[PolicyFailure]:
    """Return the policies that did not play to the end or missed deadlines."""
    reported: Sequence[Mapping[str, Any]] = (job.runtime or {}).get("policies") or []
    failures = []
    for index, version in enumerate(versions):
        own: Mapping[str, Any] = reported[index] if index < len(reported) else {}
        at_fault = job.error is not None and job.failed_policy_index == index
        status = str(own.get("status") or "ok")
        missed = int(own.get("missed_deadlines") or 0)
        if not at_fault and status == "ok" and not missed:
            continue
        may_read = principal is not None and (principal.is_admin or principal.user_id == version.policy.user_id)
        failures.append(
            PolicyFailure(
                policy_index=index,
                name=f"{version.policy.name}:v{version.version}",
                status="failed" if status == "ok" and at_fault else status,
                step=own.get("failed_step"),
                missed_deadlines=missed,
                message=job.error if at_fault else None,
                log=_place(store, job.id, assignments, index) if may_read else None,
            )
        )
    return failures


def _place(store: Store, job_id: uuid.UUID, assignments: Sequence[int], policy: int) -> LogPlace | None:
    """Return the last failure in the log of a policy, or the end of the log; None for an empty or missing log."""
    name = log_name(assignments, policy)
    try:
        lines = store.get(job_key(job_id, name)).decode(errors="replace").rstrip().splitlines()
    except Missing:
        return None
    if not lines:
        return None
    marked = [number for number, line in enumerate(lines) if _FAILURE.match(line)]
    first = marked[-1] if marked else max(0, len(lines) - MAX_LINES)
    shown = [line[:MAX_LETTERS] for line in lines[first : first + MAX_LINES]]
    return LogPlace(agent=list(assignments).index(policy), line=first + 1, lines=shown)
