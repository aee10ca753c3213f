"""A commissioner runs a league: it migrates it, schedules rounds, plays them and moves members."""

from __future__ import annotations

import json
from typing import Any

import pytest

from coworld.commissioner.protocol import (
    EpisodeCompletedRequest,
    EpisodeCompletedResponse,
    EpisodeRequest,
    PolicyMembershipEventChange,
    RoundComplete,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    ScheduleRoundsResponse,
)
from coworld.errors import CoworldError
from observatory.database.tables.leagues import League
from observatory.public_ids import parse_public_id
from packages.observatory.tests.commissioners.conversing import Commissioned
from packages.observatory.tests.commissioners.script import Script

on_any = pytest.mark.any_database
ASKED = ["round_completed_request", "rank_division_request", "describe_division_request"]


def review(league: Commissioned) -> list[str]:
    """Ask what the script does not answer; the questions."""
    asked = []
    while (lease := league.lease()) is not None:
        connection = league.connect(lease)
        league.fetch(connection)
        asked += connection.types
        league.close(connection, "unknown message", is_refusal=True)
    return asked


def start_round(league: Commissioned) -> Any:
    """Migrate if that is due, schedule, and connect to the round."""
    while "pending" not in [row["status"] for row in league.rounds()]:
        league.loop.check_all()
        league.converse()
    return league.connect()


def play_round(league: Commissioned) -> Any:
    connection = start_round(league)
    assert not league.answer(connection)
    league.play()
    assert league.answer(connection)
    return connection


@on_any
def test_a_migration_renames_creates_and_moves(league: Commissioned) -> None:
    league.loop.check_all()
    assert not league.get(f"/v2/leagues/{league.league}/commissioner")["is_migrated"]
    league.loop.check_all()  # it is queued once
    assert league.converse().types == ["league_migration_config_request", "league_migration_request"]
    divisions = {row["name"]: row for row in league.get("/v2/divisions", league_id=league.league)}
    assert divisions["Premier"]["id"] == league.division
    assert divisions["Premier"]["description"] == "The best"
    assert (divisions["Waiting"]["type"], divisions["Waiting"]["level"]) == ("staging", -1)
    assert league.members() == {
        "ann": ("Premier", "competing", True),
        "ben": ("Premier", "competing", True),
        "eve": ("Waiting", "qualifying", False),
        "zed": ("Premier", "competing", True),
    }
    assert league.get(f"/v2/leagues/{league.league}/commissioner")["is_migrated"]


def test_two_rounds_with_a_failed_a_cancelled_and_a_rejected_episode(league: Commissioned) -> None:
    first = play_round(league)
    assert first.types[:3] == ["round_start", "episodes_accepted", "episodes_rejected"]
    assert sorted(first.types[3:]) == ["episode_failed", "episode_result", "episode_result"]
    assert league.state() == {"commissioner": {"seen": [600.0]}}
    rows = league.get(f"/v2/rounds/{league.rounds()[0]['id']}/commissioner-messages")
    spoken = [(row["from_commissioner"], row["message_type"]) for row in rows[::-1]]
    assert spoken[:2] == [(False, "round_start"), (True, "schedule_episodes")]
    assert {(True, "round_complete"), (True, "episode_cancel")} <= set(spoken)
    assert review(league) == ASKED
    second = play_round(league)
    assert second.handler.start.state["seen"] == [600.0]
    assert [result.rank for result in second.handler.start.recent_results] == [1, 2, 3]
    assert review(league) == []  # it has refused all questions before
    league.loop.check_all()
    league.converse()  # no more rounds
    assert league.lease() is None
    ranked = [(1, "ben", 301.5), (2, "ann", 298.5), (3, "zed", 0.0)]
    played = {"status": "completed", "display": {"rejected": ["impossible"]}, "results": ranked}
    assert league.outcome() == {
        "rounds": [{"number": 1, **played}, {"number": 2, **played}],
        "members": {
            "ann": ("Premier", "competing", True),
            "ben": ("Premier", "competing", True),
            "eve": ("Waiting", "qualifying", False),
            "zed": ("Premier", "disqualified", False),
        },
        "state": {"commissioner": {"seen": [600.0, 600.0]}},
        "tables": {"Premier": [(1, "ben", 301.5, 2), (2, "ann", 298.5, 2), (3, "zed", 0.0, 2)], "Waiting": []},
    }
    episodes = league.get(f"/v2/rounds/{league.rounds()[0]['id']}/episode-requests")["entries"]
    assert sorted(row["status"] for row in episodes) == ["cancelled", "completed", "completed", "failed"]
    kinds = {row["event_type"] for row in league.get("/v2/competition-events", league_id=league.league)}
    assert {"round_started", "round_completed", "membership_disqualified"} <= kinds


@on_any
def test_a_program_that_crashes_is_started_again_and_no_episode_is_played_twice(league: Commissioned) -> None:
    first = start_round(league)
    assert not league.answer(first)
    assert league.play() == ["completed", "completed", "failed"]
    league.close(first)
    second = league.connect()
    assert second.number == 2
    assert league.answer(second)
    assert [result.request_id for result in second.handler.start.completed_episodes] == ["played", "swapped"]
    # The script asks for all of them again, and hears of all of them again.
    assert second.types == [*first.types[:3], "episode_result", "episode_result", "episode_failed"]
    assert league.play() == []
    assert league.rounds()[0]["status"] == "completed"


@on_any
def test_a_program_that_crashes_three_times_fails_its_round_and_nothing_is_applied(league: Commissioned) -> None:
    first = start_round(league)
    league.answer(first)
    league.close(first, "it ended with exit code 1")
    for _ in range(2):
        league.close(league.connect(), "it ended with exit code 1")
    [round_] = league.rounds()
    assert (round_["status"], "3 times" in round_["error"]) == ("failed", True)
    assert league.state() == {}
    assert league.play() == []  # its episodes were cancelled
    assert league.outcome()["tables"] == {"Premier": [], "Waiting": []}
    league.loop.check_all()
    league.converse()
    assert [row["status"] for row in league.rounds()] == ["failed", "pending"]


RESULTS = '{"type": "round_complete", "results": [{"division_id": "DIVISION", "rankings": [%s]}]}'
RANKED = '{"policy_version_id": "%s", "rank": %d, "score": 1}'
STRANGER = "0" * 32
BROKEN = {
    RESULTS % (RANKED % (STRANGER, 1)): "was not a member at the start",
    RESULTS % (RANKED % ("MEMBER", 10**15)): "is not between 0 and 1000000",
    RESULTS % ", ".join([RANKED % ("MEMBER", 1)] * 2): "is ranked twice",
    "hello": "sent something wrong",
    "[]": "a JSON object",
    '{"type": "round_complete", "results": [{"division_id": 5}]}': "sent something wrong",
    '{"type": "hello"}': "Unknown commissioner message type",
    '{"type": "schedule_rounds_response"}': "not a message of a round",
    '{"type": "round_complete", "state": NaN}': "NaN",
    '{"type": "round_complete", "state": "\\u0000"}': "zero bytes",
    '{"type": "round_complete", "leaderboards": [{"division_id": "' + "0" * 32 + '"}]}': "not an open division",
}


@on_any
def test_a_program_that_breaks_the_protocol_fails_its_round(league: Commissioned) -> None:
    for text, problem in BROKEN.items():
        connection = start_round(league)
        member = league.fetch(connection)[0][0].memberships[0].policy_version_id
        text = text.replace("DIVISION", league.division[4:]).replace("MEMBER", str(member))
        assert league.say(connection, text)
        round_ = league.rounds()[-1]
        assert round_["status"] == "failed"
        assert problem in round_["error"]
        assert league.get(f"/v2/leagues/{league.league}/commissioner")["problem"] == round_["error"]


@on_any
def test_a_repeated_message_changes_nothing_and_a_gap_is_refused(league: Commissioned) -> None:
    connection = start_round(league)
    [start], _ = league.fetch(connection)
    [schedule] = connection.handler(start)
    assert not league.say(connection, schedule)
    assert not league.say(connection, schedule, again=True)
    assert len(league.fetch(connection)[0]) == 2
    body = {"connection": connection.number, "number": 5, "text": "{}"}
    league.call(connection.lease, "commissioner/messages", body, status=409)
    body = {"connection": connection.number + 1, "number": 2, "text": "{}"}
    league.call(connection.lease, "commissioner/messages", body, status=409)


@on_any
def test_a_cancelled_round_aborts_its_program_and_counts_nothing(league: Commissioned) -> None:
    connection = start_round(league)
    league.answer(connection)
    round_id = league.rounds()[0]["id"]
    answer = league.post(f"/v2/rounds/{round_id}/cancel", {"reason": "the map is broken"})
    assert (answer["status"], answer["error"]) == ("cancelled", "the map is broken")
    [abort], is_over = league.fetch(connection)
    assert (abort.message_type, abort.reason, is_over) == ("round_abort", "the map is broken", True)
    assert league.say(connection, RoundComplete())  # too late
    assert league.play() == []
    assert league.state() == {}
    league.post(f"/v2/rounds/{round_id}/cancel", {}, status=409)


@on_any
def test_a_league_that_is_closed_cancels_its_round_and_one_that_is_triggered_is_asked(league: Commissioned) -> None:
    connection = start_round(league)
    league.post(f"/v2/leagues/{league.league}/trigger-round", None)
    with league.world.database.transaction() as session:
        row = session.get_one(League, parse_public_id("league", league.league))
        assert row.round_triggered_at == league.world.clock()
        row.disabled_at = league.world.clock()
    league.loop.check_all()
    [round_] = league.rounds()
    assert (round_["status"], round_["error"]) == ("cancelled", "The league was closed")
    assert [message.message_type for message in league.fetch(connection)[0]] == ["round_start", "round_abort"]


@on_any
def test_episodes_that_cannot_be_played_are_rejected_one_by_one(league: Commissioned) -> None:
    connection = start_round(league)
    [start], _ = league.fetch(connection)
    connection.handler(start)
    first, second = [entrant.policy_version_id for entrant in connection.handler.entrants()][:2]

    def episode(name: str, **changes: Any) -> EpisodeRequest:
        fields = {"variant_id": "quick", "policy_version_ids": [first, second], **changes}
        return EpisodeRequest(request_id=name, **fields)

    stranger = league.world.version(league.owner)
    league.say(
        connection,
        ScheduleEpisodes(
            episodes=[
                episode("fine"),
                episode("changed", game_config_overrides={"max_ticks": 5}),
                episode("tokens", game_config_overrides={"tokens": ["a", "b"]}),
                episode("secret", game_config_overrides={"width": "secret://coworld/paintarena/x"}),
                episode("schema", game_config_overrides={"width": 1000}),
                episode("crowded", policy_version_ids=[first] * 3),
                episode("empty", policy_version_ids=[]),
                episode("stranger", policy_version_ids=[first, stranger]),
            ]
        ),
    )
    [accepted, rejected], _ = league.fetch(connection)
    assert accepted.request_ids == ["fine", "changed"]
    said = rejected.errors
    assert "tokens" in said["tokens"] and "secret" in said["secret"]
    assert "width" in said["schema"]
    assert "seats" in said["crowded"] and "seats" in said["empty"]
    assert "not a member" in said["stranger"]
    league.say(connection, ScheduleEpisodes(episodes=[episode("fine", policy_version_ids=[second, first])]))
    [rejected], _ = league.fetch(connection)
    assert "used for another episode" in rejected.errors["fine"]


class Hooked(Script):
    """Asks for one more episode after the first that was completed, and benches whoever broke one."""

    def __call__(self, message: Any) -> Any:
        if not isinstance(message, EpisodeCompletedRequest):
            return super().__call__(message)
        result, failure = message.episode_result, message.episode_failed
        more = []
        if result is not None and result.request_id == "played":
            versions = [score.policy_version_id for score in result.scores]
            more = [EpisodeRequest(request_id="more", variant_id="quick", policy_version_ids=versions)]
        events = [
            PolicyMembershipEventChange(
                league_policy_membership_id=member.id,
                from_division_id=member.division_id,
                status="competing",
                substatus="warned",
                reason="It broke an episode",
            )
            for member in message.round_start.memberships
            if failure is not None and member.policy_version_id == failure.failed_policy_version_id
        ]
        return [EpisodeCompletedResponse(episodes=more, policy_membership_events=events)]

    def ending(self) -> Any:
        return super().ending() if self.results.pop("more", None) else []


@on_any
def test_a_program_is_asked_after_each_episode_if_it_wants_that(league: Commissioned) -> None:
    body = {"overrides": {"episode_completed_requests": True}}
    answer = league.client.patch(f"/v2/coworld-league-seeds/{league.seed}", json=body, headers=league.owner.headers)
    assert answer.status_code == 200, answer.text
    league.new_handler = Hooked
    connection = start_round(league)
    assert not league.answer(connection)
    assert league.play() == ["completed", "completed", "failed"]
    assert not league.answer(connection)
    asked = [row["content"] for row in _messages(league) if row["message_type"] == "episode_completed_request"]
    assert [(row["episode_failed"] or row["episode_result"])["request_id"] for row in asked] == [
        "played",
        "swapped",
        "broken",
    ]
    assert [len(row["completed_episode_results"]) for row in asked] == [1, 2, 2]
    assert [len(row["failed_episodes"]) for row in asked] == [0, 0, 1]
    [zed] = [row for row in league.get("/v2/league-policy-memberships", league_id=league.league) if "zed" in str(row)]
    assert zed["substatus"] == "warned"  # it is applied before the round ends
    league.close(connection)  # another program is not asked again what was answered
    second = league.connect()
    assert not league.answer(second)
    assert "episode_completed_request" not in second.types
    assert league.play() == ["completed"]
    assert league.answer(second)
    assert league.rounds()[0]["status"] == "completed"


def _messages(league: Commissioned) -> list[Any]:
    """Return the messages of the first round, oldest first."""
    path = f"/v2/rounds/{league.rounds()[0]['id']}/commissioner-messages"
    return league.get(path, limit=200)[::-1]


@on_any
def test_players_that_should_keep_running_are_listed_for_the_owner(league: Commissioned) -> None:
    class Keeps(Script):
        def __call__(self, message: Any) -> Any:
            replies: Any = super().__call__(message)
            if isinstance(message, ScheduleRoundsRequest):
                member = next(row for row in message.active_memberships if row.player_name == "ann")
                player = {"player_id": member.player_id, "policy_version_id": member.policy_version_id}
                gone = {"player_id": "ply_gone", "policy_version_id": league.world.version(league.owner)}
                replies = [ScheduleRoundsResponse(persistent_players=[{**player, "tags": {"a": "b"}}, gone])]
            return replies

    league.new_handler = Keeps
    for _ in range(2):
        league.loop.check_all()
        league.converse()
    [row] = league.get(f"/v2/leagues/{league.league}/persistent-players")
    [ann] = [row for row in league.get("/v2/league-policy-memberships", league_id=league.league) if "ann" in str(row)]
    assert (row["player_id"], row["policy_version_id"]) == (ann["player"]["id"], ann["policy_version"]["id"])
    assert (row["tags"], row["game_config_overrides"], row["config_overlay_secret"]) == ({"a": "b"}, {}, None)


@on_any
def test_a_silent_program_is_given_up_but_not_while_episodes_are_played(league: Commissioned, clock: Any) -> None:
    first = start_round(league)
    league.answer(first)
    clock.advance(50)
    league.call(first.lease, "heartbeat", {"status": "running"})
    league.world.app.state.settings.commissioner_lifetime_seconds = 40.0
    assert league.fetch(first) == ([], False)
    league.play()
    league.fetch(first)
    clock.advance(50)
    league.call(first.lease, "heartbeat", {"status": "running"})
    assert league.fetch(first) == ([], True)
    second = league.connect()
    assert league.answer(second)
    assert league.rounds()[0]["status"] == "completed"


@on_any
def test_a_paused_league_gets_no_rounds_and_a_lost_worker_costs_nothing(league: Commissioned, clock: Any) -> None:
    connection = start_round(league)
    league.answer(connection)
    league.post(f"/v2/leagues/{league.league}/rounds-paused", {"paused": True})
    clock.advance(61)  # the lease runs out
    league.play()
    second = league.connect()
    league.call(connection.lease, "commissioner/next", {"connection": 1, "after": 0}, status=403)
    assert league.answer(second)
    review(league)
    league.loop.check_all()
    assert league.lease() is None
    league.post(f"/v2/leagues/{league.league}/rounds-paused", {"paused": False})
    league.loop.check_all()
    assert league.converse().types == ["schedule_rounds_request"]


@on_any
def test_an_older_commissioner_without_migrations_keeps_the_divisions(league: Commissioned) -> None:
    league.loop.check_all()
    connection = league.connect()
    league.fetch(connection)
    league.close(connection, "Unknown message", is_refusal=True)
    assert league.get(f"/v2/leagues/{league.league}/commissioner")["is_migrated"]
    assert [row["name"] for row in league.get("/v2/divisions", league_id=league.league)] == ["Competition"]


class FirstGeneration(Script):
    """Knows rounds only, and moves members by `graduation_changes`."""

    def __call__(self, message: Any) -> Any:
        if message.message_type in ("schedule_rounds_request", "league_migration_config_request", *ASKED):
            raise CoworldError("unknown message")
        return super().__call__(message)


@on_any
def test_a_commissioner_of_the_first_generation_gets_its_rounds_from_the_server(
    league: Commissioned, clock: Any
) -> None:
    league.new_handler = FirstGeneration
    body = {"divisions": [{"name": "Competition", "level": 1}, {"name": "Gold", "level": 2}]}
    answer = league.client.put(f"/v2/leagues/{league.league}/divisions", json=body, headers=league.owner.headers)
    gold = next(row["id"][4:] for row in answer.json() if row["name"] == "Gold")
    for _ in range(2):  # it refuses the migration, then the question for rounds
        league.loop.check_all()
        league.close(league.connect(), "unknown message", is_refusal=True)
    assert [row["status"] for row in league.rounds()] == ["pending"]
    connection = league.connect()
    [start], _ = league.fetch(connection)
    member = start.memberships[0]
    moves = [{"membership_id": str(member.id), "to_division_id": gold, "reason": "won"}]
    ranked = {"policy_version_id": str(member.policy_version_id), "rank": 1, "score": 2.0}
    results = [{"division_id": league.division[4:], "rankings": [ranked]}]
    message = {"type": "round_complete", "results": results, "graduation_changes": moves}
    assert league.say(connection, json.dumps(message))
    assert league.members()[str(member.player_name)] == ("Gold", "competing", True)
    review(league)
    league.loop.check_all()
    assert (len(league.rounds()), league.lease()) == (1, None)  # the next one is not due yet, and no one is asked
    clock.advance(601)
    league.loop.check_all()
    assert [row["status"] for row in league.rounds()] == ["completed", "pending"]


@on_any
def test_a_program_that_breaks_over_a_migration_keeps_the_divisions(league: Commissioned) -> None:
    league.loop.check_all()
    for _ in range(3):
        assert not league.get(f"/v2/leagues/{league.league}/commissioner")["is_migrated"]
        league.close(league.connect(), "it closed its socket (code 1011)")
    assert league.get(f"/v2/leagues/{league.league}/commissioner")["is_migrated"]
    assert [row["name"] for row in league.get("/v2/divisions", league_id=league.league)] == ["Competition"]


def test_a_migration_that_leaves_members_behind_is_refused_as_a_whole(league: Commissioned) -> None:
    class Forgets(Script):
        def __call__(self, message: Any) -> Any:
            replies: Any = super().__call__(message)
            if message.message_type == "league_migration_config_request":
                replies[0].divisions = replies[0].divisions[:1]  # only the waiting room is left
            return replies

    league.new_handler = Forgets
    league.loop.check_all()
    league.converse()
    status = league.get(f"/v2/leagues/{league.league}/commissioner")
    assert not status["is_migrated"]
    assert "3 live members would stay in 'Competition'" in status["problem"]
    assert [row["name"] for row in league.get("/v2/divisions", league_id=league.league)] == ["Competition"]
    assert set(league.members().values()) == {("Competition", "competing", True)}
    league.loop.check_all()
    assert league.lease() is None  # it is tried again later, or when the commissioner has changed
