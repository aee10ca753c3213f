"""Messages of the commissioner protocol, the forms of a leaderboard, and a commissioner over a real connection."""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from coworld.commissioner import protocol
from coworld.commissioner.client import CommissionerError, ask_commissioner
from coworld.commissioner.protocol import CommissionerMessage, Message, PlatformMessage
from coworld.commissioner.server import Handler, start_commissioner
from coworld.errors import CoworldError
from tests.coworld_messages import COMMISSIONER_EXAMPLES, DIVISION, PLATFORM_EXAMPLES, POLICIES, rankings

READERS = {"platform": PlatformMessage, "commissioner": CommissionerMessage}
EXAMPLES = [
    *(("platform", example) for example in PLATFORM_EXAMPLES),
    *(("commissioner", example) for example in COMMISSIONER_EXAMPLES),
]


@pytest.mark.parametrize(
    ("side", "example"), EXAMPLES, ids=lambda value: value["type"] if isinstance(value, dict) else ""
)
def test_every_message_survives_the_wire(side: str, example: dict) -> None:
    message = READERS[side].from_json(example)
    written = json.loads(json.dumps(message.to_json()))
    assert written["type"] == example["type"]
    assert READERS[side].from_json(written) == message
    for key, value in example.items():
        if not isinstance(value, list | dict):
            assert written[key] == value


def test_there_is_an_example_of_every_message() -> None:
    kinds = {kind.message_type for kind in (*protocol.PLATFORM_MESSAGES, *protocol.COMMISSIONER_MESSAGES)}
    assert {example["type"] for _, example in EXAMPLES} == kinds


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "dance"}, "Unknown commissioner message type: 'dance'"),
        ({"type": ["x"]}, "Unknown commissioner message type"),
        ({}, "Unknown commissioner message type: None"),
        ([], "a JSON object"),
        ({"type": "round_start"}, "Unknown commissioner message type: 'round_start'"),  # what the other side says
    ],
)
def test_unknown_messages_are_refused(data: Any, message: str) -> None:
    with pytest.raises(CoworldError, match=message):
        CommissionerMessage.from_json(data)


def test_wrong_fields_raise_what_pydantic_reports_and_have_an_explanation() -> None:
    with pytest.raises(ValidationError, match="Field required") as caught:
        CommissionerMessage.from_json({"type": "episode_cancel"})
    problem = protocol.message_problems(caught.value)
    assert (str(problem), problem.hint) == ("request_id: is required", "add `request_id`")


def test_every_message_of_a_platform_and_no_other_is_a_platform_message() -> None:
    assert all(isinstance(PlatformMessage.from_json(example), PlatformMessage) for example in PLATFORM_EXAMPLES)
    answers = [CommissionerMessage.from_json(example) for example in COMMISSIONER_EXAMPLES]
    assert not any(isinstance(answer, PlatformMessage) for answer in answers)


def test_messages_from_newer_platforms_are_understood() -> None:
    message = PlatformMessage.from_json({"type": "round_abort", "reason": "x", "future": 1})
    assert message.to_json() == {"type": "round_abort", "reason": "x"}


def test_a_score_is_one_of_the_scores() -> None:
    score = protocol.EpisodeScore(policy_version_id=POLICIES[0], score=3, scores={"tiles": 9})
    assert score.scores == {"score": 3.0, "tiles": 9.0}
    own = protocol.EpisodeScore(policy_version_id=POLICIES[0], score=3, scores={"score": 4})
    assert own.scores == {"score": 4.0}


RECORDED = {
    "source_id": "s",
    "policy_version_id": str(POLICIES[0]),
    "player_id": "p",
    "score": 1.0,
    "game_results": {},
    "started_at": "2026-01-01T00:00:00Z",
    "ended_at": "2026-01-01T00:01:00Z",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recorded_episodes": [RECORDED], "idempotency_key": None}, "idempotency_key"),
        ({"recorded_episodes": [RECORDED, RECORDED]}, "source_id"),
        ({"recorded_episodes": [RECORDED | {"ended_at": RECORDED["started_at"]}]}, "after started_at"),
        ({"recorded_episodes": [RECORDED | {"ended_at": "2026-01-01T00:01:00"}]}, "timezone"),
        ({"recorded_episodes": [RECORDED | {"colour": 1}]}, "colour"),
        ({"recorded_episodes": [RECORDED | {"source_id": "s" * 201}]}, "at most 200 characters"),
        ({"recorded_episodes": [RECORDED | {"player_id": "p" * 129}]}, "at most 128 characters"),
        ({"idempotency_key": ""}, "at least 1 character"),
        ({"idempotency_key": "k" * 201}, "at most 200 characters"),
        ({"round_config": {"stages": [{"num_episodes": 0}]}}, "greater than 0"),
    ],
)
def test_rounds_that_make_no_sense_are_refused(change: dict, message: str) -> None:
    spec = {"division_id": str(DIVISION), "round_config": {}, "idempotency_key": "k"}
    CommissionerMessage.from_json(
        {"type": "schedule_rounds_response", "rounds": [spec | {"recorded_episodes": [RECORDED]}]}
    )
    with pytest.raises(ValidationError, match=message):
        CommissionerMessage.from_json({"type": "schedule_rounds_response", "rounds": [spec | change]})


@pytest.mark.parametrize("key", ["player_id", "policy_version_id"])
def test_persistent_players_are_different_ones(key: str) -> None:
    players = [{"player_id": f"p{index}", "policy_version_id": str(POLICIES[index])} for index in range(2)]
    players[1][key] = players[0][key]
    with pytest.raises(ValidationError, match=f"unique {key} values"):
        CommissionerMessage.from_json({"type": "schedule_rounds_response", "persistent_players": players})


def test_ids_and_counts_have_bounds() -> None:
    player = {"player_id": "p" * 128, "policy_version_id": POLICIES[0]}
    assert protocol.PersistentPlayerRuntimeRequest.model_validate(player).player_id == "p" * 128
    with pytest.raises(ValidationError, match="at most 128 characters"):
        protocol.PersistentPlayerRuntimeRequest.model_validate(player | {"player_id": "p" * 129})
    with pytest.raises(ValidationError, match="greater than 0"):
        protocol.VariantInfo(id="v", name="V", game_config={}, num_agents=0)
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        protocol.EpisodeFailed(request_id="r", error="e", failed_policy_index=-1)


def test_a_state_has_at_most_ten_megabytes_of_json() -> None:
    limit = protocol.COMMISSIONER_STATE_MAX_BYTES
    largest = "x" * (limit - len('""'))
    assert protocol.RoundComplete(state=largest).state == largest
    for state in (largest + "x", "\N{LATIN SMALL LETTER E WITH ACUTE}" * (limit // 4), [1] * (limit // 2)):
        with pytest.raises(ValidationError, match="state must not exceed 10 MB"):
            protocol.RoundComplete(state=state)
    with pytest.raises(ValidationError, match="state must be a JSON value"):
        protocol.RoundComplete(state={1, 2})


def test_an_episode_that_is_over_was_played_or_failed() -> None:
    (example,) = (example for example in PLATFORM_EXAMPLES if example["type"] == "episode_completed_request")
    for outcome in ({"episode_result": None}, {"episode_failed": {"request_id": "r", "error": "x"}}):
        with pytest.raises(ValidationError, match="exactly one of episode_result or episode_failed"):
            PlatformMessage.from_json(example | outcome)


# Leaderboards


def ranked(**fields: Any) -> dict:
    return CommissionerMessage.from_json({"type": "rank_division_response", **fields}).to_json()


def test_views_are_made_from_rankings() -> None:
    made = ranked(rankings=rankings())
    (view,) = made["views"]
    assert [column["key"] for column in view["columns"]] == [
        "rank",
        "win_rate",
        "score",
        "wins",
        "episodes_played",
        "rounds_played",
        "episode_wins",
    ]
    assert view["rows"][0]["values"] == {"rank": 1, "score": 2.5, "rounds_played": 3}
    assert view["rows"][1]["values"] == {
        "rank": 2,
        "score": 1.0,
        "rounds_played": 3,
        "win_rate": 0.375,
        "wins": 1.5,
        "episode_wins": 1.5,
        "episodes_played": 4,
    }
    assert made["tables"] == [
        {"id": "score", "label": "Score", "description": None, "score_label": "Score", "rankings": made["rankings"]}
    ]
    assert (made["default_view_key"], made["primary_table_id"]) == ("score", "score")


def test_views_are_made_from_tables_and_the_main_one_is_shown() -> None:
    first, second = rankings()
    tables = [{"rankings": [first]}, {"id": "wins", "label": "Wins", "score_label": "W", "rankings": [second]}]
    made = ranked(tables=tables, primary_table_id="wins")
    assert [view["key"] for view in made["views"]] == ["score", "wins"]
    assert [entry["player_id"] for entry in made["rankings"]] == ["b"]
    assert made["default_view_key"] == "wins"
    labels = {column["key"]: column["label"] for column in made["views"][1]["columns"]}
    assert labels["score"] == "W"
    assert ranked(tables=tables, primary_table_id="none")["default_view_key"] == "score"


@pytest.mark.parametrize(
    ("view", "score", "label"),
    [
        ({"primary_column": "elo", "columns": [{"key": "score"}, {"key": "elo", "label": "Elo"}]}, 1200.0, "Elo"),
        ({"columns": [{"key": "elo"}, {"key": "score", "label": "Points"}]}, 7.0, "Points"),
        ({"columns": [{"key": "rank"}, {"key": "elo", "label": "Elo"}]}, 1200.0, "Elo"),
        ({"primary_column": "none", "columns": [{"key": "elo"}]}, 1200.0, "elo"),
        ({"columns": []}, 7.0, "score"),
    ],
)
def test_the_main_column_of_a_view_becomes_the_score(view: dict, score: float, label: str) -> None:
    rows = [{"subject_id": "a", "values": {"rank": 4, "elo": 1200, "score": 7}}]
    made = ranked(views=[{"key": "v", "title": "View", **view, "rows": rows}])
    (table,) = made["tables"]
    assert (table["id"], table["label"], table["score_label"]) == ("v", "View", label)
    assert [(entry["rank"], entry["score"]) for entry in made["rankings"]] == [(4, score)]
    assert made["default_view_key"] == "v"


@pytest.mark.parametrize(
    ("counts", "win_rate"),
    [
        ({"win_rate": 0.1, "episode_wins": 3, "episodes_played": 4}, 0.1),  # the given rate wins
        ({"win_rate": 1.5}, 1.5),
        ({"episode_wins": 3, "episodes_played": 4}, 0.75),
        ({"episode_wins": 5, "episodes_played": 4}, 1.0),
        ({"episode_wins": -3, "episodes_played": 4}, 0.0),
        ({"episode_wins": 1, "episodes_played": 0}, 0.0),
        ({"episode_wins": 3}, None),
    ],
)
def test_a_win_rate_is_taken_as_given_or_derived_between_0_and_1(counts: dict, win_rate: float | None) -> None:
    made = ranked(rankings=[rankings()[0] | counts])
    assert made["views"][0]["rows"][0]["values"].get("win_rate") == win_rate
    assert made["tables"][0]["rankings"][0]["win_rate"] == win_rate
    assert made["rankings"][0]["win_rate"] == counts.get("win_rate")  # what the commissioner gave stays


def test_text_and_truth_do_not_rank_a_view_unless_it_says_so() -> None:
    columns = [
        {"key": "name", "value_type": "string"},
        {"key": "passed", "value_type": "boolean"},
        {"key": "elo", "value_type": "percent"},
    ]
    view = {"columns": columns, "rows": [{"subject_id": "a", "values": {"name": "A", "passed": True, "elo": 9}}]}
    assert ranked(views=[view])["rankings"][0]["score"] == 9
    assert ranked(views=[view | {"primary_column": "passed"}])["rankings"][0]["score"] == 1


def test_leaderboards_are_made_from_the_older_results_of_a_round() -> None:
    places = [
        {"policy_version_id": POLICIES[0], "player_id": "ann", "rank": 1, "score": 2.5},
        {"policy_version_id": POLICIES[1], "rank": 2, "score": 1},
    ]
    results = [{"division_id": DIVISION, "rankings": places}]
    (board,) = protocol.RoundComplete.model_validate({"results": results}).to_json()["leaderboards"]
    assert (board["division_id"], board["default_view_key"]) == (str(DIVISION), "score")
    assert board["axes"] == [{"key": "metric", "label": "Metric"}, {"key": "timeframe", "label": "Timeframe"}]
    (view,) = board["views"]
    assert view["axis_values"] == {"metric": "score", "timeframe": "legacy"}
    assert [(row["subject_type"], row["subject_id"], row["values"]) for row in view["rows"]] == [
        ("player", "ann", {"rank": 1, "score": 2.5}),
        ("policy_version", str(POLICIES[1]), {"rank": 2, "score": 1.0}),
    ]
    own = {"division_id": DIVISION, "views": [{"key": "mine"}]}
    kept = protocol.RoundComplete.model_validate({"results": results, "leaderboards": [own]})
    assert [[view.key for view in board.views] for board in kept.leaderboards] == [["mine"]]


def test_rows_without_numbers_are_ranked_as_they_come() -> None:
    rows = [{"subject_id": name, "values": values} for name, values in (("a", {}), ("b", {"score": "x"}))]
    made = ranked(views=[{"rows": rows}])
    assert [(entry["player_id"], entry["rank"], entry["score"]) for entry in made["rankings"]] == [
        ("a", 1, 0.0),
        ("b", 2, 0.0),
    ]


def test_axes_are_named_after_what_the_views_say() -> None:
    views = [
        {"key": "a", "axis_values": {"my_season": "1"}},
        {"key": "b", "axis_values": {"my_season": "2", "map": "x"}},
    ]
    assert ranked(views=views)["axes"] == [{"key": "my_season", "label": "My Season"}, {"key": "map", "label": "Map"}]
    assert ranked(views=views, axes=[{"key": "map"}])["axes"] == [{"key": "map", "label": None}]


def test_forms_that_are_given_stay() -> None:
    first, second = rankings()
    view = {"key": "v", "rows": [{"subject_id": "x", "values": {"score": 1}}]}
    made = ranked(views=[view], tables=[{"id": "t", "rankings": [first]}], rankings=[second])
    assert ([row["key"] for row in made["views"]], [table["id"] for table in made["tables"]]) == (["v"], ["t"])
    assert [entry["player_id"] for entry in made["rankings"]] == ["b"]


def test_an_empty_leaderboard_has_every_form() -> None:
    made = ranked()
    assert [view["key"] for view in made["views"]] == ["score"]
    assert made["tables"][0]["rankings"] == made["rankings"] == []


def test_champions_play_and_the_others_wait() -> None:
    def member(number: int, **more: Any) -> protocol.MembershipInfo:
        return protocol.MembershipInfo(
            id=UUID(int=number),
            league_id=UUID(int=99),
            policy_version_id=UUID(int=number),
            **{"division_id": DIVISION, **more},
        )

    members = [
        member(1, is_champion=True),
        member(2),
        member(3, is_champion=True, status="retired"),
        member(4, is_champion=True, division_id=UUID(int=77)),
        member(5, is_champion=True, substatus="active"),
        member(6, substatus="active"),
    ]
    entrants = protocol.default_competing_entrants(members, division_id=DIVISION)
    assert [entrant.id.int for entrant in entrants] == [1, 5]
    events = protocol.default_competing_membership_events(members, division_id=DIVISION)
    assert [(event.league_policy_membership_id.int, event.substatus) for event in events] == [
        (1, "active"),
        (2, "benched"),
        (6, "benched"),
    ]


def test_overrides_replace_whole_values_and_hold_no_secrets() -> None:
    merged = protocol.merged_game_config({"a": {"x": 1}, "b": 2}, {"a": {"y": 3}})
    assert merged == {"a": {"y": 3}, "b": 2}
    for overrides in ({"tokens": []}, {"a": [{"b": "secret://x"}]}):
        with pytest.raises(CoworldError):
            protocol.merged_game_config({}, overrides)


# Over a connection


@contextmanager
def served(new_handler: Callable[[], Handler]) -> Iterator[str]:
    """A commissioner on a port of its own; its address."""
    started = threading.Event()
    found: dict[str, Any] = {}

    async def serve() -> None:
        server = await start_commissioner(new_handler, host="127.0.0.1", port=0)
        found.update(loop=asyncio.get_running_loop(), stop=asyncio.Event(), port=server.sockets[0].getsockname()[1])
        started.set()
        async with server:
            await found["stop"].wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert started.wait(10)
    try:
        yield f"127.0.0.1:{found['port']}"
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join()


def probe() -> protocol.ScheduleRoundsRequest:
    (example,) = (example for example in PLATFORM_EXAMPLES if example["type"] == "schedule_rounds_request")
    message = PlatformMessage.from_json(example)
    assert isinstance(message, protocol.ScheduleRoundsRequest)
    return message


def schedules(message: Message) -> Message | None:
    if isinstance(message, protocol.ScheduleRoundsRequest):
        division = message.divisions[0].id
        return protocol.ScheduleRoundsResponse(
            rounds=[protocol.RoundSpec(division_id=division, round_config=protocol.RoundConfig())]
        )
    return None


def test_a_commissioner_answers_over_a_websocket_and_is_healthy() -> None:
    with served(lambda: schedules) as address:
        with urllib.request.urlopen(f"http://{address}/healthz") as answer:
            assert (answer.status, json.load(answer)) == (200, {"ok": True})
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"http://{address}/other")
        caught.value.close()
        assert caught.value.code == 404
        reply = ask_commissioner(f"ws://{address}/round", probe(), protocol.ScheduleRoundsResponse, timeout_seconds=10)
        assert [spec.division_id for spec in reply.rounds] == [probe().divisions[0].id]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda message: protocol.RoundComplete(), "answered round_complete instead of schedule_rounds_response"),
        (lambda message: None, "did not answer schedule_rounds_request within 0.2 s"),
    ],
)
def test_a_commissioner_that_says_something_else_is_told_apart(answer: Handler, message: str) -> None:
    with served(lambda: answer) as address, pytest.raises(CommissionerError, match=message):
        ask_commissioner(f"ws://{address}/round", probe(), protocol.ScheduleRoundsResponse, timeout_seconds=0.2)


def test_a_commissioner_refuses_what_no_platform_says() -> None:
    with (
        served(lambda: schedules) as address,
        pytest.raises(CommissionerError, match="Unknown commissioner message type"),
    ):
        ask_commissioner(
            f"ws://{address}/round", protocol.RoundComplete(), protocol.ScheduleRoundsResponse, timeout_seconds=10
        )


def test_a_commissioner_that_is_not_there_is_told() -> None:
    with pytest.raises(CommissionerError, match="could not be reached"):
        ask_commissioner("ws://127.0.0.1:9/round", probe(), protocol.ScheduleRoundsResponse, timeout_seconds=2)
