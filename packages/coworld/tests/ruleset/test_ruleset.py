"""The commissioner that follows a configuration: its parts, and whole rounds with an imagined platform."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args
from uuid import UUID, uuid5

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from coworld.commissioner.protocol import (
    DescribeDivisionRequest,
    DivisionInfo,
    EpisodeFailed,
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
    RoundComplete,
    RoundInfo,
    RoundStart,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    VariantInfo,
)
from coworld.commissioner.server import HandlerFailed
from coworld.errors import CoworldError
from coworld.roles.ruleset.commissioner import RulesetCommissioner
from coworld.roles.ruleset.config import (
    Ruleset,
    Schedule,
    Seating,
    bundled_names,
    load_ruleset,
    ruleset_for,
    ruleset_of,
)
from coworld.roles.ruleset.scoring import PlayedRound, ewma_scores, mmr_order, mmr_skills, round_scores
from coworld.roles.ruleset.seating import episode_count, seat_tables, self_play_tables

NOW = datetime(2026, 3, 1, 12, 34, tzinfo=UTC)
SEATINGS = get_args(Seating)


def name(text: str) -> UUID:
    return uuid5(UUID(int=0), text)


LEAGUE = LeagueInfo(id=name("league"))
QUALIFIERS = DivisionInfo(id=name("qualifiers"), name="Qualifiers", level=-99, type="staging")
COMPETITION = DivisionInfo(id=name("competition"), name="Competition", level=1)
BASE = load_ruleset({})


def member(player: str, division: DivisionInfo = COMPETITION, **changes: Any) -> MembershipInfo:
    status = "competing" if division is COMPETITION else "qualifying"
    fields = {"division_id": division.id, "status": status, "is_champion": status == "competing", **changes}
    ids = {"id": name(f"membership {player}"), "league_id": LEAGUE.id, "policy_version_id": name(player)}
    return MembershipInfo(player_id=player, player_name=player, **ids, **fields)


def result(request_id: str, **scores: float) -> EpisodeResult:
    rows = [EpisodeScore(policy_version_id=name(player), score=score) for player, score in scores.items()]
    return EpisodeResult(request_id=request_id, scores=rows)


def start(members: list[MembershipInfo], division: DivisionInfo = COMPETITION, **changes: Any) -> RoundStart:
    variants = [VariantInfo(id=f"seats-{seats}", name="v", game_config={"num_agents": seats}) for seats in (2, 4)]
    config = {"current_division_id": str(division.id), "variant_id": changes.pop("variant_id", "seats-2")}
    fields = {"recent_results": [], "state": {"round_config": config, "mine": 1}, **changes}
    return RoundStart(
        round_id=name("round"),
        round_number=3,
        league=LEAGUE,
        divisions=[QUALIFIERS, COMPETITION],
        memberships=members,
        variants=variants,
        **fields,
    )


def play(begin: RoundStart, ruleset: Ruleset = BASE, *, breaks: str | None = None) -> tuple[RoundComplete, list[Any]]:
    """Play a round; the longer the name of a player, the better it is. Returns the end, and all episodes."""
    handler = RulesetCommissioner(ruleset)
    players = {entry.policy_version_id: entry.player_id or "" for entry in begin.memberships}
    outgoing: list[Message] = [begin]
    asked: list[Any] = []
    while outgoing:
        answers = handler(outgoing.pop(0)) or []
        for message in answers if isinstance(answers, list) else [answers]:
            if isinstance(message, RoundComplete):
                return message, asked
            assert isinstance(message, ScheduleEpisodes)
            asked += message.episodes
            for episode in message.episodes:
                if breaks is not None and name(breaks) in episode.policy_version_ids:
                    outgoing.append(EpisodeFailed(request_id=episode.request_id, error="it broke"))
                    continue
                scores = {players[policy]: float(len(players[policy])) for policy in episode.policy_version_ids}
                outgoing.append(result(episode.request_id, **scores))
    raise AssertionError("the round did not end")


# --- seating


@given(
    st.sampled_from(SEATINGS),
    st.integers(1, 20),
    st.integers(1, 8),
    st.integers(1, 4),
    st.booleans(),
)
def test_tables_are_full_and_nobody_is_left_out(
    seating: Seating, entrants: int, seats: int, times: int, has_order: bool
) -> None:
    episodes = episode_count(entrants, seats, Schedule(min_episodes_per_entrant=times))
    order = list(range(entrants))[::-1] if has_order else None
    tables = seat_tables(seating, entrants, seats, episodes, seed="s", order=order)
    assert len(tables) == episodes >= math.ceil(entrants * times / seats)
    assert all(len(table) == seats and set(table) <= set(range(entrants)) for table in tables)
    assert tables == seat_tables(seating, entrants, seats, episodes, seed="s", order=order)
    if seating in ("baseline_window", "rolling_window", "shuffled_window") and entrants >= seats:
        assert all(len(set(table)) == seats for table in tables)
    if seating == "baseline_window":
        counts = Counter(seat for table in tables for seat in table)
        assert len(counts) == entrants
        assert max(counts.values()) - min(counts.values()) <= math.ceil(seats / entrants) + 1


def test_windows_follow_the_rules_of_the_specification() -> None:
    assert seat_tables("baseline_window", 5, 2, 3) == [(0, 1), (2, 3), (4, 0)]
    assert seat_tables("baseline_window", 2, 4, 2) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert seat_tables("rolling_window", 3, 2, 3) == [(0, 1), (1, 2), (2, 0)]
    assert seat_tables("mmr_neighbors", 4, 2, 4, order=[3, 1, 0, 2]) == [(3, 1), (1, 0), (0, 2), (3, 1)]
    assert seat_tables("team_blocks", 4, 8, 2, team_count=4) == [(0, 0, 1, 1, 2, 2, 3, 3), (1, 1, 2, 2, 3, 3, 0, 0)]
    assert seat_tables("leaderboard_neighbors", 3, 2, 4, order=[2, 0, 1]) == [(2, 0), (0, 1), (0, 2), (1, 0)]
    assert self_play_tables(2, 3, Schedule(episodes=2)) == [(0, 0, 0)] * 2 + [(1, 1, 1)] * 2


# --- scores and tables


def test_round_scores_skip_an_absent_zero_and_count_places_and_wins() -> None:
    played = [result("1", a=0, b=-1, c=4), result("2", a=2, b=2, c=1)]
    entrants = [name(player) for player in "abc"]
    assert list(round_scores("mean", played, entrants).values()) == [[2.0], [-1.0, 2.0], [4.0, 1.0]]
    assert list(round_scores("rank", played, entrants).values()) == [[2.0, 3.0], [1.0, 3.0], [3.0, 1.0]]
    assert list(round_scores("win", played, entrants).values()) == [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    assert round_scores("mean", played, [name("absent")]) == {name("absent"): []}


def test_an_older_round_counts_half_after_its_half_life() -> None:
    rounds = [
        PlayedRound(NOW - timedelta(hours=2), {"a": (1, 10.0), "b": (2, 1.0)}),
        PlayedRound(NOW, {"a": (1, 4.0)}),
    ]
    assert ewma_scores(rounds, 2.0) == pytest.approx({"a": (5 + 4) / 1.5, "b": 1.0})
    ancient = [PlayedRound(NOW - timedelta(days=40_000), {"a": (1, 3.0)}), PlayedRound(NOW, {"b": (1, 1.0)})]
    assert ewma_scores(ancient, 0.5) == {"a": 3.0, "b": 1.0}


def test_skills_are_those_of_the_published_model() -> None:
    skills = mmr_skills([PlayedRound(NOW, {"winner": (1, 1.0), "loser": (2, 0.0)})])
    assert (skills["winner"].mu, skills["winner"].sigma) == pytest.approx((27.63523138347365, 8.065506316323548))
    assert skills["loser"].mu == pytest.approx(22.36476861652635)
    drawn = mmr_skills([PlayedRound(NOW, {"a": (1, 1.0), "b": (1, 1.0), "c": (1, 1.0)})])
    assert [skill.mu for skill in drawn.values()] == pytest.approx([25.0] * 3)


@given(st.lists(st.permutations("abcd"), min_size=1, max_size=12))
def test_skills_keep_their_sum_and_uncertainty_never_grows(orders: list[list[str]]) -> None:
    rounds = [PlayedRound(NOW, {player: (rank, 0.0) for rank, player in enumerate(order, 1)}) for order in orders]
    skills = mmr_skills(rounds)
    assert all(0 < skill.sigma <= 25 / 3 for skill in skills.values())
    shown = [skills[player].shown for player in mmr_order(skills)]
    assert shown == sorted(shown, reverse=True)
    assert all(skill.games == len(orders) for skill in skills.values())


def test_players_with_few_rounds_come_last() -> None:
    rounds = [PlayedRound(NOW, {"a": (2, 0.0), "b": (1, 0.0)})] * 5 + [
        PlayedRound(NOW, {"new": (1, 0.0), "a": (2, 0.0)})
    ]
    assert mmr_order(mmr_skills(rounds)) == ["b", "a", "new"]


# --- rounds


def test_a_competition_ranks_champions_without_ties() -> None:
    members = [member("aa"), member("b"), member("cc"), member("benched", is_champion=False)]
    end, episodes = play(start(members))
    assert len(episodes) == 6  # three entrants, four episodes each, two seats
    [ranking] = end.results
    assert ranking.division_id == COMPETITION.id
    assert [(row.rank, row.player_id, row.score) for row in ranking.rankings] == [
        (1, "aa", 2.0),
        (2, "cc", 2.0),
        (3, "b", 1.0),
    ]
    assert ranking.rankings[0].result_metadata == {
        "seed_order": 0,
        "completed_episodes": 4,
        "ranked_scores": 4,
        "score_kind": "mean",
    }
    assert end.policy_membership_events == []
    assert end.state == {"mine": 1}


def test_qualifiers_play_themselves_and_move_or_leave() -> None:
    members = [member("good", QUALIFIERS), member("bad", QUALIFIERS), member("other")]
    end, episodes = play(start(members, QUALIFIERS, variant_id="seats-4"), breaks="bad")
    assert [len(set(episode.policy_version_ids)) for episode in episodes] == [1] * 4
    changes = {event.league_policy_membership_id: event for event in end.policy_membership_events}
    good, bad = changes[members[0].id], changes[members[1].id]
    assert (good.to_division_id, good.status) == (COMPETITION.id, "competing")
    assert (bad.to_division_id, bad.status, bad.substatus) == (QUALIFIERS.id, "disqualified", "inactive")


def test_a_second_stage_is_for_those_whom_no_rule_of_the_first_concerns() -> None:
    ruleset = load_ruleset({"RULESET_STRATEGY_CONFIG_NAME": "among_them"})
    members = [member("good", QUALIFIERS), member("bad", QUALIFIERS)]
    end, episodes = play(start(members, QUALIFIERS), ruleset, breaks="bad")
    stages = Counter((episode.tags["stage"], episode.policy_version_ids[0] == name("good")) for episode in episodes)
    assert stages == {("self_play", True): 2, ("self_play", False): 2, ("score_gate", True): 4}
    statuses = {event.substatus: event.status for event in end.policy_membership_events}
    assert statuses == {None: "competing", "crash": "disqualified"}


def test_another_program_continues_a_round_and_decides_the_same() -> None:
    members = [member("good", QUALIFIERS), member("fine", QUALIFIERS)]
    ruleset = load_ruleset({"RULESET_STRATEGY_CONFIG_NAME": "among_them"})
    end, episodes = play(start(members, QUALIFIERS), ruleset)
    played = {name(player): player for player in ("good", "fine")}
    done = [result(episode.request_id, **{played[episode.policy_version_ids[0]]: 4.0}) for episode in episodes[:7]]
    again, rest = play(start(members, QUALIFIERS, completed_episodes=done), ruleset)
    assert [episode.request_id for episode in rest] == [episode.request_id for episode in episodes[7:]]
    assert again == end


def test_too_few_entrants_repeat_wait_or_are_filled_up() -> None:
    def episodes(members: list[MembershipInfo], **defaults: Any) -> list[Any]:
        changes = {"ruleset": {"defaults": defaults}}
        return play(start(members, variant_id="seats-4"), ruleset_for(changes, BASE))[1]

    two = [member("a"), member("b")]
    assert {len(set(each.policy_version_ids)) for each in episodes(two)} == {2}
    assert episodes(two, fill_seats="strict") == []
    filled = [*two, member("q", QUALIFIERS), member("r", QUALIFIERS)]
    fill = {"fill_seats": "fill_from_divisions", "fill_from": ["qualifiers"]}
    assert {len(set(each.policy_version_ids)) for each in episodes(filled, **fill)} == {4}
    assert episodes(two, **fill, duplicate_after_fill=False) == []
    end, _ = play(start(filled, variant_id="seats-4"), ruleset_for({"ruleset": {"defaults": fill}}, BASE))
    assert {row.player_id for row in end.results[0].rankings} == {"a", "b"}


def test_a_throttle_limits_what_is_asked_for_at_a_time() -> None:
    handler = RulesetCommissioner(ruleset_for({"ruleset": {"dispatch_throttle": 2}}, BASE))
    [first] = _answer(handler, start([member("a"), member("b"), member("c")]))
    assert len(first.episodes) == 2
    [second] = _answer(handler, result(first.episodes[0].request_id, a=1, b=2))
    assert len(second.episodes) == 1


def _answer(handler: RulesetCommissioner, message: Message) -> Any:
    return handler(message)


def test_refused_episodes_end_the_program() -> None:
    handler = RulesetCommissioner(BASE)
    handler(start([member("a"), member("b")]))
    with pytest.raises(HandlerFailed, match="refused 1 episodes: no such variant"):
        handler(EpisodesRejected(request_ids=["x"], errors={"x": "no such variant"}))


# --- leagues


def test_a_round_is_due_once_in_an_interval() -> None:
    handler = RulesetCommissioner(BASE, clock=lambda: NOW)

    def schedule(*rounds: RoundInfo, members: int = 2) -> list[Any]:
        entrants = [member(f"p{number}") for number in range(members)]
        request = ScheduleRoundsRequest(
            league=LEAGUE, divisions=[QUALIFIERS, COMPETITION], active_memberships=entrants, recent_rounds=list(rounds)
        )
        return handler.schedule(request).rounds

    def played(minutes: int, status: str = "completed") -> RoundInfo:
        created = (NOW - timedelta(minutes=minutes)).isoformat()
        ids = {"id": name("earlier"), "division_id": COMPETITION.id}
        return RoundInfo(**ids, round_number=1, status=status, created_at=created)

    [spec] = schedule()
    assert (spec.division_id, spec.idempotency_key) == (COMPETITION.id, f"{COMPETITION.id}-20260301T1230")
    assert len(spec.round_config.entrant_policy_version_ids) == 2
    assert len(schedule(played(5))) == 1
    assert schedule(played(4)) == []
    assert schedule(played(60, "running")) == []
    assert schedule(members=1) == []


def test_a_migration_renames_what_matches_and_moves_the_rest() -> None:
    handler = RulesetCommissioner(BASE)
    old = [DivisionInfo(id=name("open"), name="Open", level=5), DivisionInfo(id=name("pro"), name="Pro", level=6)]
    answer: Any = handler(LeagueMigrationConfigRequest(league=LEAGUE, divisions=old))
    assert [(row.name, row.level, row.type, row.previous_name) for row in answer.divisions] == [
        ("Qualifiers", -99, "staging", None),
        ("Competition", 1, "competition", "Open"),
    ]
    members = [member("stays"), member("moves", division_id=name("pro"))]
    request = LeagueMigrationRequest(league=LEAGUE, divisions=[QUALIFIERS, COMPETITION], memberships=members)
    events: Any = handler(request)
    [event] = events.policy_membership_events
    assert (event.league_policy_membership_id, event.to_division_id) == (members[1].id, COMPETITION.id)


def test_tables_and_descriptions_are_given_on_request() -> None:
    handler = RulesetCommissioner(BASE, clock=lambda: NOW)
    rounds, results = [], []
    for number, scores in ((1, {"b": 9.0, "a": 3.0}), (2, {"a": 6.0, "b": 0.0})):
        ids = {"id": name(f"round {number}"), "division_id": COMPETITION.id, "round_number": number}
        ended = NOW + timedelta(hours=2 * number)
        rounds.append(RoundInfo(status="completed", completed_at=ended.isoformat(), **ids))
        for rank, (player, score) in enumerate(scores.items(), 1):
            who = {"policy_version_id": name(player), "player_id": player, "player_name": player.upper()}
            results.append(LeaderboardRoundResultInfo(round_id=ids["id"], rank=rank, score=score, **who))
    request = RankDivisionRequest(
        league=LEAGUE, division=COMPETITION, completed_rounds=rounds[::-1], recent_rounds=rounds, round_results=results
    )
    rows: Any = handler.rank(request).views[0].rows
    assert [(row.subject_name, row.values["score"], row.values["rounds_played"]) for row in rows] == [
        ("A", pytest.approx(5.0), 2),
        ("B", pytest.approx(3.0), 2),
    ]
    config = {"ruleset": {"scoring": {"leaderboard": {"type": "mmr"}}}}
    skilled = request.model_copy(update={"league": LeagueInfo(id=LEAGUE.id, commissioner_config=config)})
    assert handler.rank(skilled).views[0].columns[1].label == "MMR"
    about = DescribeDivisionRequest(
        league=LEAGUE, division=COMPETITION, active_memberships=[member("a")], recent_rounds=[]
    )
    description = handler.describe(about).description
    assert description.round_schedule == "A round every 10 minutes"
    assert description.next_round == "Waits for 1 more entrants"


# --- configurations


def test_every_bundled_configuration_is_valid_and_has_a_way_up() -> None:
    assert bundled_names() == ["among_them", "cogs_vs_clips", "default", "four_score"]
    for bundled in bundled_names():
        ruleset = load_ruleset({"RULESET_STRATEGY_CONFIG_NAME": bundled})
        assert {division.type for division in ruleset.divisions.values()} == {"staging", "competition"}
        assert Ruleset.model_validate(ruleset.model_dump(mode="json")) == ruleset
    assert load_ruleset({"RULESET_STRATEGY_CONFIG_NAME": "four_score"}).seating("competition").fill_seats == "strict"


def test_the_example_of_the_documentation_is_valid() -> None:
    page = files("coworld").joinpath("docs", "commissioners.md").read_text(encoding="utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]
    assert ruleset_of(yaml.safe_load(example), name="of the page").seating("competition").min_entries_to_start == 2


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, "divisions: Field required"),
        ({"divisions": {}}, "at divisions"),
        ({"divisions": {"a": {"name": "A", "level": 1, "colour": "red"}}}, "at divisions.a.colour"),
        ({"divisions": {"a": {"name": "A", "level": 1}, "b": {"name": "A", "level": 2}}}, "the same name"),
        ({"divisions": {"a": {"name": "A", "level": 1, "fill_from": ["x"]}}}, "there is no division 'x'"),
        ({"schedule_interval_minutes": 0, "divisions": {"a": {"name": "A", "level": 1}}}, "schedule_interval_minutes"),
    ],
)
def test_a_wrong_configuration_is_refused_with_its_place(document: Any, problem: str) -> None:
    with pytest.raises(CoworldError) as refusal:
        ruleset_of(document, name="mine")
    assert problem.replace(": Field", "").split(" required")[0] in str(refusal.value)


def test_the_program_says_what_is_wrong_with_its_configuration(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(json.dumps({"divisions": 3}))
    environ = {**os.environ, "RULESET_STRATEGY_CONFIG_PATH": str(path)}
    ended = subprocess.run([sys.executable, "-m", "coworld.roles.ruleset"], env=environ, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"error: the ruleset {path} is wrong at divisions")
    with pytest.raises(CoworldError, match="no ruleset 'unknown'"):
        load_ruleset({"RULESET_STRATEGY_CONFIG_NAME": "unknown"})
