"""The default commissioner: as a program, and through whole rounds with an imagined platform."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import connect

from coworld.commissioner.protocol import (
    PLATFORM_MESSAGES,
    CommissionerMessage,
    DescribeDivisionRequest,
    DivisionInfo,
    EpisodeAccepted,
    EpisodeCancel,
    EpisodeCompletedRequest,
    EpisodeFailed,
    EpisodeRequest,
    EpisodeResult,
    EpisodeScore,
    EpisodesRejected,
    LeaderboardRoundResultInfo,
    LeagueInfo,
    LeagueMigrationConfigRequest,
    LeagueMigrationRequest,
    MembershipInfo,
    Message,
    RankDivisionRequest,
    RoundAbort,
    RoundComplete,
    RoundCompletedRequest,
    RoundConfig,
    RoundInfo,
    RoundResultInfo,
    RoundStart,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    VariantInfo,
)
from coworld.roles.commissioner import DefaultCommissioner
from coworld.roles.pairing import MAX_EPISODES, pair


def name(text: str) -> UUID:
    return uuid5(UUID(int=0), text)


LEAGUE = LeagueInfo(id=name("league"))
TOP, LOW = DivisionInfo(id=name("top"), name="Top", level=2), DivisionInfo(id=name("low"), name="Low", level=1)
POLICIES = [name(f"policy {index}") for index in range(3)]
VARIANT = VariantInfo(id="default", name="Duel", game_config={"players": [{"name": "a"}, {"name": "b"}]})


def member(index: int, division: DivisionInfo = TOP, *, champion: bool = True) -> MembershipInfo:
    return MembershipInfo(
        id=name(f"member {index}"), league_id=LEAGUE.id, division_id=division.id, policy_version_id=POLICIES[index],
        player_id=f"player-{index}", player_name=f"Player {index}", is_champion=champion,
    )  # fmt: skip


MEMBERS = [member(index) for index in range(3)]


def start(**changes: Any) -> RoundStart:
    given: dict[str, Any] = {
        "round_id": name("round"), "round_number": 4, "league": LEAGUE, "divisions": [TOP], "memberships": MEMBERS,
        "recent_results": [], "variants": [VARIANT],
    }  # fmt: skip
    return RoundStart(**(given | changes))


def answers(commissioner: DefaultCommissioner, message: Message) -> list[Message]:
    answer = commissioner(message)
    return [answer] if isinstance(answer, Message) else list(answer or ())


def opened(commissioner: DefaultCommissioner, message: RoundStart) -> list[EpisodeRequest]:
    [said] = answers(commissioner, message)
    assert isinstance(said, ScheduleEpisodes)
    return said.episodes


def result(request: EpisodeRequest, strength: dict[UUID, float]) -> EpisodeResult:
    """The stronger policy scores more."""
    scores = [EpisodeScore(policy_version_id=one, score=strength[one]) for one in request.policy_version_ids]
    return EpisodeResult(request_id=request.request_id, scores=scores)


STRENGTH = {POLICIES[0]: 1.0, POLICIES[1]: 3.0, POLICIES[2]: 2.0}


def test_a_round_lets_everybody_play_everybody_in_both_seats_and_ranks_by_mean_score() -> None:
    commissioner = DefaultCommissioner()
    episodes = opened(commissioner, start(state={"rounds_completed": 3, "mine": 1}))
    seated = Counter(tuple(one.policy_version_ids) for one in episodes)
    assert seated == {(a, b): 1 for a in POLICIES for b in POLICIES if a != b}
    assert answers(commissioner, EpisodeAccepted(request_ids=[one.request_id for one in episodes])) == []
    said = [message for one in episodes for message in answers(commissioner, result(one, STRENGTH))]
    [done] = said
    assert isinstance(done, RoundComplete)
    ranking = done.results[0].rankings
    assert [(one.policy_version_id, one.rank, one.score) for one in ranking] == [
        (POLICIES[1], 1, 3.0),
        (POLICIES[2], 2, 2.0),
        (POLICIES[0], 3, 1.0),
    ]
    assert done.state == {"rounds_completed": 4, "mine": 1}
    assert [row.subject_name for row in done.leaderboards[0].views[0].rows] == ["Player 1", "Player 2", "Player 0"]
    assert {event.substatus for event in done.policy_membership_events} == {"active"}
    assert done.observability is not None and len(done.observability.entrants) == 3


def test_a_round_started_again_asks_only_for_what_is_not_played_and_the_list_is_the_same() -> None:
    first, second = opened(DefaultCommissioner(), start()), opened(DefaultCommissioner(), start())
    assert first == second
    played = [result(one, STRENGTH) for one in first[:4]]
    rest = opened(DefaultCommissioner(), start(completed_episodes=played))
    assert rest == first[4:]
    [done] = answers(DefaultCommissioner(), start(completed_episodes=[result(one, STRENGTH) for one in first]))
    assert isinstance(done, RoundComplete)


def test_a_platform_failure_is_played_again_once_and_a_rejected_episode_is_left_out() -> None:
    commissioner = DefaultCommissioner()
    first, *others = opened(commissioner, start())
    failure = EpisodeFailed(request_id=first.request_id, error="lost", error_type="node_disruption")
    [again] = answers(commissioner, failure)
    assert isinstance(again, ScheduleEpisodes)
    [retry] = again.episodes
    assert retry.policy_version_ids == first.policy_version_ids and retry.request_id != first.request_id
    assert answers(commissioner, failure) == [], "the same news twice changes nothing"
    second = EpisodeFailed(request_id=retry.request_id, error="lost", error_type="node_disruption")
    assert answers(commissioner, second) == []
    rejected = others.pop()
    refusal = EpisodesRejected(request_ids=[rejected.request_id], errors={rejected.request_id: "no such variant"})
    assert answers(commissioner, refusal) == []
    said = [message for one in others for message in answers(commissioner, result(one, STRENGTH))]
    [done] = said
    assert isinstance(done, RoundComplete) and done.observability is not None
    assert any("no such variant" in note for note in done.observability.notes)


def test_an_entrant_that_breaks_episodes_counts_as_the_worst_and_is_taken_out() -> None:
    commissioner = DefaultCommissioner()
    league = LeagueInfo(id=LEAGUE.id, commissioner_config={"episodes_per_pairing": 2})
    episodes = opened(commissioner, start(league=league))
    assert len(episodes) == 12
    broken = [one for one in episodes if POLICIES[1] in one.policy_version_ids]
    said: list[Message] = []
    for one in broken[:3]:
        index = one.policy_version_ids.index(POLICIES[1])
        failure = EpisodeFailed(
            request_id=one.request_id, error="exit 1", error_type="player_error", failed_policy_index=index
        )
        said += answers(commissioner, failure)
    assert [message.request_id for message in said if isinstance(message, EpisodeCancel)] == [
        one.request_id for one in broken[3:]
    ]
    left = [one for one in episodes if POLICIES[1] not in one.policy_version_ids]
    [done] = [message for one in left for message in answers(commissioner, result(one, STRENGTH))]
    assert isinstance(done, RoundComplete)
    last = done.results[0].rankings[-1]
    assert (last.policy_version_id, last.score, last.result_metadata["broken"]) == (POLICIES[1], 0.0, 3)


def test_rounds_are_scheduled_for_divisions_with_two_champions_and_no_open_round() -> None:
    commissioner = DefaultCommissioner()
    low = [member(0, LOW), member(1, LOW, champion=False)]

    def scheduled(rounds: list[RoundInfo]) -> list[UUID]:
        request = ScheduleRoundsRequest(
            league=LEAGUE, divisions=[TOP, LOW], active_memberships=[*MEMBERS, *low], recent_rounds=rounds
        )
        [said] = answers(commissioner, request)
        return [one.division_id for one in said.rounds]  # type: ignore[attr-defined]

    def earlier(status: str) -> RoundInfo:
        return RoundInfo(id=name("earlier"), division_id=TOP.id, round_number=3, status=status)

    assert scheduled([]) == [TOP.id]
    assert scheduled([earlier("running")]) == []
    assert scheduled([earlier("completed")]) == [TOP.id]


def test_the_leaderboard_is_the_mean_of_the_rounds_that_count() -> None:
    rounds = [RoundInfo(id=name(f"r{n}"), division_id=TOP.id, round_number=n, status="completed") for n in (1, 2, 3)]
    results = [
        LeaderboardRoundResultInfo(round_id=name(f"r{n}"), policy_version_id=POLICIES[who], rank=1, score=score,
                                   player_id=f"player-{who}")
        for n, who, score in ((1, 0, 100.0), (2, 0, 1.0), (3, 0, 3.0), (2, 1, 2.0), (3, 1, 6.0))
    ]  # fmt: skip
    league = LeagueInfo(id=LEAGUE.id, commissioner_config={"rounds_that_count": 2})
    request = RankDivisionRequest(
        league=league, division=TOP, completed_rounds=rounds, recent_rounds=rounds, round_results=results
    )
    [said] = answers(DefaultCommissioner(), request)
    rows = said.views[0].rows  # type: ignore[attr-defined]
    assert [(row.subject_id, row.values["score"], row.values["rank"]) for row in rows] == [
        ("player-1", 4.0, 1),
        ("player-0", 2.0, 2),
    ]


def test_after_a_round_the_first_go_up_and_the_last_go_down_when_the_league_says_so() -> None:
    results = [
        RoundResultInfo(round_id=name("r"), policy_version_id=POLICIES[index], rank=rank, score=-rank)
        for index, rank in ((0, 3), (1, 1), (2, 2))
    ]

    def moves(division: DivisionInfo, config: dict[str, int] | None) -> list[tuple[UUID, UUID | None]]:
        request = RoundCompletedRequest(
            league=LEAGUE, division=division, all_divisions=[TOP, LOW], round_config=RoundConfig(),
            round_results=results, division_memberships=MEMBERS, recent_results=[], commissioner_config=config,
        )  # fmt: skip
        [said] = answers(DefaultCommissioner(), request)
        events = said.policy_membership_events  # type: ignore[attr-defined]
        return [(one.league_policy_membership_id, one.to_division_id) for one in events]

    assert moves(TOP, None) == []
    assert moves(TOP, {"promote": 1, "relegate": 1}) == [(MEMBERS[0].id, LOW.id)]
    assert moves(LOW, {"promote": 1, "relegate": 1}) == [(MEMBERS[1].id, TOP.id)]


@given(st.integers(1, 30), st.lists(st.integers(1, 8), min_size=1, max_size=3), st.integers(0, 1000))
def test_any_list_of_episodes_is_fair_and_fills_every_seat(entrants: int, seats: list[int], seed: int) -> None:
    tables = pair(entrants, seats, seed=seed)
    assert tables == pair(entrants, seats, seed=seed) and len(tables) <= MAX_EPISODES
    for table in tables:
        assert len(table.seats) == seats[table.variant]
        assert entrants < len(table.seats) or len(set(table.seats)) == len(table.seats), "an entrant plays itself"
    if len(tables) < MAX_EPISODES:
        played = Counter(one for table in tables for one in set(table.seats))
        assert set(played) == set(range(entrants)), "everybody plays"


@pytest.fixture(scope="module")
def served() -> Iterator[int]:
    """The commissioner as the program it is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"COGAME_HOST": "127.0.0.1", "COGAME_PORT": str(port)}
    with subprocess.Popen([sys.executable, "-m", "coworld.roles.commissioner"], env=environment) as process:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz").close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.05)
        yield port
        process.kill()


def test_the_program_answers_every_message_of_the_platform(served: int) -> None:
    begun = start()
    episodes = opened(DefaultCommissioner(), begun)
    divisions = {"league": LEAGUE, "division": TOP, "recent_rounds": []}
    failed = EpisodeFailed(request_id=episodes[0].request_id, error="lost", error_type="platform_error")
    said: list[tuple[Message, str | None]] = [
        (ScheduleRoundsRequest(league=LEAGUE, divisions=[TOP], active_memberships=MEMBERS, recent_rounds=[]),
         "schedule_rounds_response"),
        (LeagueMigrationConfigRequest(league=LEAGUE, divisions=[]), "league_migration_config_response"),
        (LeagueMigrationRequest(league=LEAGUE, divisions=[TOP, LOW], memberships=MEMBERS), "league_migration_response"),
        (RankDivisionRequest(**divisions, completed_rounds=[], round_results=[]), "rank_division_response"),
        (DescribeDivisionRequest(**divisions, active_memberships=MEMBERS), "describe_division_response"),
        (RoundCompletedRequest(league=LEAGUE, division=TOP, all_divisions=[TOP], round_config=RoundConfig(),
                               round_results=[], division_memberships=[], recent_results=[]),
         "round_completed_response"),
        (EpisodeCompletedRequest(round_start=begun, episode_failed=failed), "episode_completed_response"),
        (begun, "schedule_episodes"),
        (EpisodeAccepted(request_ids=[one.request_id for one in episodes]), None),
        (failed, "schedule_episodes"),
        (result(episodes[1], STRENGTH), None),
        (EpisodesRejected(request_ids=[one.request_id for one in episodes[2:]], errors={}), None),
        (result(episodes[0].model_copy(update={"request_id": episodes[0].request_id + "/again"}), STRENGTH),
         "round_complete"),
        (begun, "schedule_episodes"),
        (RoundAbort(reason="enough"), None),
    ]  # fmt: skip
    assert {type(message) for message, _ in said} == set(PLATFORM_MESSAGES)
    with connect(f"ws://127.0.0.1:{served}/round") as platform:
        for message, wanted in said:
            platform.send(json.dumps(message.to_json()))
            if wanted is not None:
                answer = CommissionerMessage.from_json(json.loads(platform.recv(timeout=20)))
                assert answer.message_type == wanted
        platform.send(json.dumps(said[0][0].to_json()))
        assert json.loads(platform.recv(timeout=20))["type"] == "schedule_rounds_response", "nothing else was said"
