"""Whole seasons through the real server and the real protocol of workers, played by a formula."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from observatory.commissioner.rolling import roll_due_seasons
from observatory.database.tables.episodes import Episode, EpisodeTag
from observatory.database.tables.matches import Match
from observatory.database.tables.seasons import Season
from packages.observatory.tests.commissioner.conftest import PlayingLeague
from packages.observatory.tests.world import FREEPLAY, TEAM

STAGES = [
    {
        "kind": "policy_eval",
        "policies_per_team": 1,
        "matches_per_combo": 1,
        "elim": {"kind": "top_k", "max_policies": 7},
    },
    {
        "kind": "policy_eval",
        "policies_per_team": 2,
        "matches_per_combo": 1,
        "elim": {"kind": "fraction", "fraction": 0.3},
    },
    {"kind": "sample_teams", "team_size": 2, "num_teams": 8, "min_per_policy": 2},
    {"kind": "team_eval", "matches_per_team": 2, "cull_fraction": 0.5},
    {"kind": "team_eval", "matches_per_team": 1, "cull_fraction": 0.5},
    {"kind": "score_policies", "top_k": 3},
]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_a_team_season_of_twelve_policies_from_play_ins_to_final_scoring(
    playing: Callable[..., PlayingLeague],
) -> None:
    league = playing()
    season = league.world.season(TEAM, team={"game": {"mission": "arena", "num_agents": 4}, "stages": STAGES})
    authors = [league.user(f"author{number}") for number in range(4)]
    versions = []
    for number in range(12):
        name = "crashes-always" if number == 5 else f"policy-{number}"
        versions.append(league.world.version(authors[number % 4], name))
        league.submit(authors[number % 4], season, versions[-1])
    with league.scripted_workers():
        assert league.get(f"/tournament/seasons/{season}/progress")["phase_detail"] == {
            "pool": "stage-1",
            "stage_index": 1,
        }
        league.start(season)
        league.wait_for(lambda: league.is_complete(season))

    progress = league.get(f"/tournament/seasons/{season}/progress")
    assert (progress["phase"], {stage["status"] for stage in progress["stage_flow"]}) == ("complete", {"complete"})
    stages = {stage["name"]: stage for stage in league.get(f"/tournament/seasons/{season}/stages")}
    rounds = [stages[f"team-round-{number}"] for number in (1, 2, 3)]
    assert [(entry["team_count"], entry["eliminated_count"]) for entry in rounds] == [(8, 4), (4, 2), (2, 0)]
    assert [entry["match_count"] for entry in rounds] == [8 * 2, 4, 0]
    # All that the others have to play, alone and in pairs, and three failures of one policy.
    assert [stages[f"stage-{number}"]["match_count"] for number in (1, 2)] == [11 + 3, 7 * 6 // 2]
    assert [stages[name]["policy_count"] for name in ("stage-1", "stage-2", "sample-1")] == [12, 7, 4]
    notes = league.get(f"/tournament/policies/{versions[5]}/memberships")
    assert [(note["pool_name"], note["action"], note["notes"]) for note in notes] == [
        ("stage-1", "remove", "It failed in 3 matches and completed none"),
        ("stage-1", "add", "Submitted"),
    ]

    table = league.get(f"/tournament/seasons/{season}/score-policies-leaderboard")
    teams = league.get(f"/tournament/seasons/{season}/teams", params={"pool_name": "team-round-3"})
    ranked = sorted(teams, key=lambda team: -team["score"])
    for row in table:
        ranks = [
            rank
            for rank, team in enumerate(ranked, 1)
            if row["policy"]["id"] in {cog["policy"]["id"] for cog in team["cogs"]}
        ]
        assert row["team_ranks"] == ranks
        assert row["placement_score"] == sum(ranks[:3]) + 3 * max(0, 3 - len(ranks))
    assert [row["placement_score"] for row in table] == sorted(row["placement_score"] for row in table)
    with league.app.state.database.read() as session:
        ended = session.scalars(select(Match.completed_order).order_by(Match.completed_order)).all()
        assert list(ended) == list(range(1, len(ended) + 1))
        completed = session.scalar(select(func.count()).select_from(Match).where(Match.status == "completed"))
        broken = select(EpisodeTag.episode_id).where(EpisodeTag.key == "failed")
        assert session.scalar(select(func.count()).select_from(Episode).where(Episode.id.not_in(broken))) == completed


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")
def test_a_freeplay_season_rates_every_policy_and_schedules_new_entrants(
    playing: Callable[..., PlayingLeague],
) -> None:
    league = playing()
    rules = {"game": {"mission": "arena", "num_agents": 4}, "splits": [[2, 2], [1, 3]], "repetitions": 2}
    season = league.world.season(FREEPLAY, freeplay={**rules, "qualifying_threshold": 0.0})
    users = [league.user(name) for name in ("ada", "bob", "cyd", "dan")]
    entries = [league.world.version(user, f"policy-{number}") for number, user in enumerate(users)]

    def completed() -> int:
        return sum(
            stage["match_count"]
            for stage in league.get(f"/tournament/seasons/{season}/stages")
            if stage["completion_pct"] == 100
        )

    with league.scripted_workers():
        for user, version in zip(users[:3], entries[:3], strict=True):
            league.submit(user, season, version)
        league.wait_for(lambda: completed() == 3 * 2 + 3 * 2 * 2)
        league.submit(users[3], season, entries[3])
        league.wait_for(lambda: completed() == 4 * 2 + 6 * 2 * 2)
    table = league.get(f"/tournament/seasons/{season}/leaderboard")
    assert {row["policy"]["id"]: row["matches"] for row in table} == {str(version): 12 for version in entries}
    matches = league.get(f"/tournament/seasons/{season}/matches", params={"limit": 100})
    assert sorted(match["assignments"] for match in matches if match["pool_name"] == "qualifying") == [[0, 0, 0, 0]] * 8
    season_id = league.get(f"/tournament/seasons/{season}")["id"]
    ((checked_id, last),) = league.app.state.commissioner.last.items()
    assert (str(checked_id), last.why) == (season_id, "Every match of the policies in the season was played")
    assert set(league.app.state.commissioner.reasons(checked_id).policies) == set(entries)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_a_season_that_cannot_be_checked_does_not_stop_the_others(
    playing: Callable[..., PlayingLeague], caplog: pytest.LogCaptureFixture
) -> None:
    league = playing()
    broken, season = league.world.season(FREEPLAY), league.world.season(FREEPLAY, name="other", is_default=False)
    with league.app.state.database.transaction() as session:
        bad = session.scalars(select(Season).where(Season.name == broken)).one()
        bad.config = {"nonsense": True}
        bad_id = bad.id
    ada = league.user("ada")
    league.submit(ada, season, league.world.version(ada))
    with league.scripted_workers(1):
        league.wait_for(lambda: league.get(f"/tournament/seasons/{season}")["match_count"] == 2)
    assert league.app.state.commissioner.run_passes({bad_id}) is False
    assert league.app.state.commissioner.last[bad_id].failed
    assert "could not be checked" in caplog.text


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_a_complete_season_starts_again_at_its_hour(clock: Any, playing: Callable[..., PlayingLeague]) -> None:
    league = playing(play_seasons=False)
    season = league.world.season(TEAM, auto_roll_hour_utc=9)
    database = league.app.state.database
    assert roll_due_seasons(database, clock()) == []
    with database.transaction() as session:
        session.scalars(select(Season)).one().completed_at = clock()  # at noon
    assert roll_due_seasons(database, clock() + timedelta(hours=20)) == []
    assert len(roll_due_seasons(database, clock() + timedelta(hours=21))) == 1
    assert roll_due_seasons(database, clock() + timedelta(hours=21)) == []
    current = league.get(f"/tournament/seasons/{season}")
    assert (current["version"], current["status"]) == (2, "not_started")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_the_commissioner_waits_while_the_database_is_unreachable(make_app: Callable[..., Any]) -> None:
    app = make_app()
    path = app.state.database.path
    assert app.state.commissioner.run_passes()
    path.rename(path.with_suffix(".away"))
    assert not app.state.commissioner.run_passes()
    path.with_suffix(".away").rename(path)
    assert app.state.commissioner.run_passes()
