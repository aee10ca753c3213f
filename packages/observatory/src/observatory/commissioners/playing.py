"""A round: the commissioner asks for episodes, hears how they end, and says what came of the round."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners import episodes, facts, members
from observatory.commissioners.results import COMMISSIONER_STATE, ROUND_CONFIG, apply_round_complete
from observatory.commissioners.reviewing import start_review
from observatory.commissioners.runs import ProtocolBroken, end_run, send
from observatory.database.tables.commissioners import CommissionerEpisode, CommissionerRun, CommissionerRunStatus
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import RoundStatus
from observatory.database.tables.requests import EpisodeRequestStatus
from observatory.events import Change, ChangeKind
from observatory.leagues.competition_events import publish_round_event
from observatory.leagues.entries import live_memberships
from observatory.requests.transitions import ENDED

__all__ = ["abort", "fail_round", "open_run", "receive", "report_ended"]

ASKS_AFTER_EPISODES = "episode_completed_requests"
"""key of `commissioner_config`: the program wants a question after each episode"""
ASKED, ANSWERED, FOLLOWING = "asked", "answered", "following"
"""keys of `CommissionerRun.plan`: episodes with an open question on this connection, in order; those whose question was
answered; and those that the answers asked for"""


def open_run(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Start the round, or continue it after the former program was lost."""
    round_ = run.round
    assert round_ is not None
    if run.opening is None:
        run.opening = _opening(session, run)
        players = {row["policy_version_id"]: row["player_id"] for row in run.opening["memberships"]}
        run.plan = {**run.plan, "players": players}
        round_.status, round_.started_at = RoundStatus.RUNNING, now
        headline = f"Round {round_.round_number} of {round_.division.name} in {run.league.name} has begun"
        publish_round_event(session, "round_started", round_, headline, now=now)
        session.flush()
        events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id})))
    run.plan = {**run.plan, ASKED: []}  # questions to the former program stay without an answer
    for row in episodes.episodes_of(session, run):
        if row.request_id in run.plan.get(FOLLOWING, []):  # the new program is not asked again, and has to hear of it
            row.asked_on, row.reported_on = run.connection, 0
    send(session, run, "round_start", _round_start(session, run), now=now)


def _round_start(session: Session, run: CommissionerRun) -> dict[str, Any]:
    assert run.opening is not None
    return {**run.opening, "completed_episodes": _completed(session, run)}


def _opening(session: Session, run: CommissionerRun) -> dict[str, Any]:
    round_, league = run.round, run.league
    assert round_ is not None
    coworld = session.get_one(Coworld, run.coworld_id)
    variants = facts.variants(coworld)
    known = [variant["id"] for variant in variants]
    variant_id = league.default_variant_id if league.default_variant_id in known else next(iter(known), None)
    config = {
        "current_division_id": str(round_.division_id),
        "division_id": str(round_.division_id),
        "variant_id": variant_id,
        **round_.round_config,
    }
    state = league.state.get(COMMISSIONER_STATE)
    # Only an object can have one more key: the commissioner gets any other state unchanged.
    state = {**(state or {}), ROUND_CONFIG: config} if state is None or isinstance(state, dict) else state
    recent = facts.recent_rounds(session, league, status=RoundStatus.COMPLETED)
    return {
        "round_id": str(round_.id),
        "round_number": round_.round_number,
        "league": facts.league_info(league),
        "divisions": [facts.division_info(row) for row in facts.open_divisions(session, league)],
        "memberships": facts.memberships(session, league),
        "recent_results": facts.recent_results(recent),
        "variants": variants,
        "state": state,
    }


def _completed(session: Session, run: CommissionerRun) -> list[dict[str, Any]]:
    """Return the results that the round has so far, recorded ones first."""
    recorded = [
        {
            "request_id": episode["source_id"],
            "scores": [{key: episode[key] for key in ("policy_version_id", "player_id", "score", "scores")}],
            "game_results": episode["game_results"],
        }
        for episode in run.plan.get("recorded_episodes", [])
    ]
    rows = episodes.episodes_of(session, run)
    ended = [row for row in rows if row.episode.status is EpisodeRequestStatus.COMPLETED and not row.cancelled]
    return recorded + [episodes.result(session, row) for row in ended]


def receive(
    session: Session,
    run: CommissionerRun,
    message: dict[str, Any],
    *,
    now: datetime,
    refused: Mapping[str, str] | None = None,
) -> None:
    """Take a message. `refused` are the episodes whose configuration the game's schema does not allow."""
    match message["type"]:
        case "schedule_episodes":
            episodes.schedule(session, run, message["episodes"], refused or {}, now=now)
        case "episode_cancel":
            episodes.cancel(session, run, message["request_id"], now=now)
        case "episode_completed_response":
            _take_answer(session, run, message, refused or {}, now=now)
        case "round_complete":
            _complete(session, run, message, now=now)
        case other:
            raise ProtocolBroken(f"{other} is not a message of a round")


def report_ended(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Tell the current connection how the episodes ended that it asked for."""
    for row in episodes.unreported(session, run):
        row.reported_on = run.connection
        if row.episode.status is EpisodeRequestStatus.COMPLETED:
            send(session, run, "episode_result", episodes.result(session, row), now=now)
        else:
            send(session, run, "episode_failed", episodes.failure(row), now=now)
        if run.league.commissioner_config.get(ASKS_AFTER_EPISODES) is True:
            _ask(session, run, row, now=now)
    session.flush()


def _ask(session: Session, run: CommissionerRun, row: CommissionerEpisode, *, now: datetime) -> None:
    """Ask what follows from the end of an episode, unless a program has answered that."""
    if row.request_id in run.plan.get(ANSWERED, []):
        return
    is_completed = row.episode.status is EpisodeRequestStatus.COMPLETED
    ended = [
        other for other in episodes.episodes_of(session, run) if other.episode.status in ENDED and not other.cancelled
    ]
    reported = [other for other in ended if other.reported_on == run.connection]
    completed = [other for other in reported if other.episode.status is EpisodeRequestStatus.COMPLETED]
    content = {
        "round_start": _round_start(session, run),
        "episode_result": episodes.result(session, row) if is_completed else None,
        "episode_failed": None if is_completed else episodes.failure(row),
        "completed_episode_results": [episodes.result(session, other) for other in completed],
        "failed_episodes": [episodes.failure(other) for other in reported if other not in completed],
    }
    run.plan = {**run.plan, ASKED: [*run.plan.get(ASKED, []), row.request_id]}
    send(session, run, "episode_completed_request", content, now=now)


def _take_answer(
    session: Session, run: CommissionerRun, message: dict[str, Any], refused: Mapping[str, str], *, now: datetime
) -> None:
    """Queue the episodes of an answer, and apply its moves at once. Answers come in the order of the questions."""
    asked = run.plan.get(ASKED, [])
    if not asked:
        raise ProtocolBroken("episode_completed_response answers no episode_completed_request")
    league = run.league
    live = {member.id: member for member in live_memberships(session, league.id)}
    divisions = {division.id: division for division in facts.open_divisions(session, league)}
    moves = message["policy_membership_events"]
    members.check_events(moves, live, divisions)
    members.apply_events(session, league, moves, live, divisions, now=now)
    run.plan = {
        **run.plan,
        ASKED: asked[1:],
        ANSWERED: [*run.plan.get(ANSWERED, []), asked[0]],
        FOLLOWING: [*run.plan.get(FOLLOWING, []), *(episode["request_id"] for episode in message["episodes"])],
    }
    if message["episodes"]:
        episodes.schedule(session, run, message["episodes"], refused, now=now)


def _complete(session: Session, run: CommissionerRun, message: dict[str, Any], *, now: datetime) -> None:
    apply_round_complete(session, run, message, now=now)
    episodes.stop_all(session, run, now=now)
    end_run(session, run, CommissionerRunStatus.COMPLETED, now=now)
    start_review(session, run, now=now)


def fail_round(session: Session, run: CommissionerRun, error: str, *, now: datetime) -> None:
    """Fail the round of a conversation; nothing that the commissioner decided in it is applied."""
    _close(session, run, RoundStatus.FAILED, error, now=now)
    round_ = run.round
    assert round_ is not None
    headline = f"Round {round_.round_number} of {round_.division.name} in {run.league.name} failed"
    publish_round_event(session, "round_failed", round_, headline, now=now)
    end_run(session, run, CommissionerRunStatus.FAILED, error=error, now=now)


def abort(session: Session, run: CommissionerRun, reason: str, *, now: datetime) -> None:
    """Cancel a round. A connected program gets `round_abort` and does not answer."""
    _close(session, run, RoundStatus.CANCELLED, reason, now=now)
    if run.is_connected:
        send(session, run, "round_abort", {"reason": reason}, now=now)
    end_run(session, run, CommissionerRunStatus.CANCELLED, error=reason, now=now)


def _close(session: Session, run: CommissionerRun, status: RoundStatus, error: str, *, now: datetime) -> None:
    round_ = run.round
    assert round_ is not None
    episodes.stop_all(session, run, now=now)
    round_.status, round_.error, round_.completed_at = status, error, now
    session.flush()
    events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id})))
