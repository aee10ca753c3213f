"""Apply the end of a round, as its commissioner decided it, once and as a whole."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners import facts, members
from observatory.commissioners.runs import ProtocolBroken
from observatory.database.tables.commissioners import CommissionerRun
from observatory.database.tables.leagues import Division, Membership, Round, RoundResult, RoundStatus
from observatory.events import Change, ChangeKind
from observatory.leagues.competition_events import publish_round_event
from observatory.leagues.entries import live_memberships
from softmax.wire.leagues import DivisionLeaderboards

__all__ = ["COMMISSIONER_STATE", "apply_round_complete", "board_of", "with_players"]

COMMISSIONER_STATE = "commissioner"
"""key of `League.state` under which a commissioner's state is stored: it may be any JSON value"""
MAX_RANK = 1_000_000
ROUND_CONFIG = "round_config"
"""key of the state that the platform adds to each round"""


def with_players(message: dict[str, Any], players: Mapping[str, str | None]) -> dict[str, Any]:
    """Return a `round_complete` in which rankings name players; older commissioners leave them out.

    `players` are those of the round's members, by policy version. The message has not been checked yet. The
    `graduation_changes` of the first generation become `membership_changes`.
    """
    if message.get("type") != "round_complete":
        return message
    graduated = message.get("graduation_changes")
    if isinstance(graduated, list) and graduated and not message.get("membership_changes"):
        # They do not say where a member comes from, and nothing depends on that.
        moves = [{**row, "from_division_id": row.get("to_division_id")} for row in graduated if isinstance(row, dict)]
        message = {**message, "membership_changes": moves}
    results = message.get("results")
    if not isinstance(results, list):
        return message
    named = []
    for result in results:
        rankings = result.get("rankings") if isinstance(result, dict) else None
        if isinstance(rankings, list):
            result = {**result, "rankings": [_with_player(entry, players) for entry in rankings]}
        named.append(result)
    return {**message, "results": named}


def _with_player(entry: Any, players: Mapping[str, str | None]) -> Any:
    if not isinstance(entry, dict) or entry.get("player_id") is not None:
        return entry
    return {**entry, "player_id": players.get(str(entry.get("policy_version_id")))}


def board_of(
    document: Mapping[str, Any], players: Mapping[str, str | None], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return a leaderboard as a division stores it; raise `ProtocolBroken`.

    Rows about policy versions become rows about their players, with names: clients show players.
    """
    views = [{**view, "rows": [_row(row, players, names) for row in view["rows"]]} for view in document["views"]]
    fields = {"default_view_key": document["default_view_key"], "axes": document["axes"], "views": views}
    try:
        return DivisionLeaderboards.model_validate(fields).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ProtocolBroken(f"A leaderboard cannot be shown: {first['loc']}: {first['msg']}") from None


def _row(row: Mapping[str, Any], players: Mapping[str, str | None], names: Mapping[str, str]) -> dict[str, Any]:
    kind, subject = row["subject_type"], row["subject_id"]
    if kind == "policy_version" and players.get(subject) is not None:
        kind, subject = "player", players[subject]
    name = row["subject_name"] or names.get(subject)
    return {**row, "subject_type": kind, "subject_id": subject, "subject_name": name, "recent_rounds": None}


def apply_round_complete(session: Session, run: CommissionerRun, message: dict[str, Any], *, now: datetime) -> None:
    """Store results, leaderboards, moves and the state, and complete the round; raise `ProtocolBroken`."""
    round_, league = run.round, run.league
    assert round_ is not None
    divisions = {row.id: row for row in facts.open_divisions(session, league)}
    live = {row.id: row for row in live_memberships(session, league.id)}
    wanted = message["policy_membership_events"] or members.as_events(message["membership_changes"], live)
    # A member may have left since the round began; what was decided about it no longer matters.
    started = {row["id"] for row in (run.opening or {}).get("memberships", [])}
    wanted = [event for event in wanted if _is_current(event, live, started)]
    members.check_events(wanted, live, divisions)
    _store_results(session, run, round_, message["results"], divisions, now=now)
    names = {row.player_id: row.player.name for row in live.values()}
    for board in message["leaderboards"]:
        division = divisions.get(uuid.UUID(board["division_id"]))
        if division is None:
            raise ProtocolBroken(f"{board['division_id']} of a leaderboard is not an open division of this league")
        division.leaderboards = board_of(board, run.plan["players"], names)
    members.apply_events(session, league, wanted, live, divisions, now=now, round_id=round_.id)
    if message["state"] is not None:
        league.state = {**league.state, COMMISSIONER_STATE: _without_config(message["state"])}
    round_.round_display = _display(round_, message)
    round_.status, round_.completed_at = RoundStatus.COMPLETED, now
    headline = f"Round {round_.round_number} of {round_.division.name} in {league.name} is over"
    publish_round_event(session, "round_completed", round_, headline, now=now)
    session.flush()
    events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id})))


def _is_current(event: Mapping[str, Any], live: Mapping[uuid.UUID, Membership], started: set[str]) -> bool:
    membership_id = event["league_policy_membership_id"]
    return membership_id not in started or uuid.UUID(membership_id) in live


def _store_results(
    session: Session,
    run: CommissionerRun,
    round_: Round,
    results: list[dict[str, Any]],
    divisions: Mapping[uuid.UUID, Division],
    *,
    now: datetime,
) -> None:
    players: dict[str, str | None] = (run.plan or {}).get("players", {})
    seen = set()
    for result in results:
        if uuid.UUID(result["division_id"]) not in divisions:
            raise ProtocolBroken(f"{result['division_id']} of the results is not an open division of this league")
        for entry in result["rankings"]:
            version_id = entry["policy_version_id"]
            if version_id not in players:
                raise ProtocolBroken(f"The policy version {version_id} in the results was not a member at the start")
            if not 0 <= entry["rank"] <= MAX_RANK:
                raise ProtocolBroken(f"The rank of the policy version {version_id} is not between 0 and {MAX_RANK}")
            if version_id in seen:
                raise ProtocolBroken(f"The policy version {version_id} is ranked twice")
            seen.add(version_id)
            session.add(
                RoundResult(
                    round_id=round_.id,
                    policy_version_id=uuid.UUID(version_id),
                    player_id=players[version_id],
                    rank=entry["rank"],
                    score=entry["score"],
                    result_metadata={**entry["result_metadata"], "division_id": result["division_id"]},
                    created_at=now,
                )
            )


def _without_config(state: Any) -> Any:
    """Return a state without what the platform adds for each round."""
    return {key: value for key, value in state.items() if key != ROUND_CONFIG} if isinstance(state, dict) else state


def _display(round_: Round, message: Mapping[str, Any]) -> dict[str, Any] | None:
    display = {**(round_.round_display or {}), **(message["round_display"] or {})}
    for name in ("observability", "warnings"):
        if message.get(name):
            display[name] = message[name]
    return display or None
