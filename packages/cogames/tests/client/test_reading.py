"""The output of commands that read from a server."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from packages.cogames.tests.client.stub import (
    EPISODE,
    FAILED_MATCH,
    MATCH,
    MATCH_ROW,
    OTHER_VERSION,
    POLICY_VERSION,
    REPLAY,
    RUN,
    RUN_ROW,
    SEASON,
    SEASONS,
    TEAM_SEASON,
    Stub,
)

READERS = [
    ["season", "list"],
    ["season", "show", SEASON],
    ["season", "versions", SEASON],
    ["season", "stages", TEAM_SEASON],
    ["season", "progress", TEAM_SEASON],
    ["season", "leaderboard"],
    ["season", "leaderboard", TEAM_SEASON, "-t", "team", "-p", "team-round-1"],
    ["season", "leaderboard", TEAM_SEASON, "-t", "score-policies"],
    ["season", "leaderboard", TEAM_SEASON, "-t", "score-policies", "-p", "policy-scores-1"],
    ["season", "teams", TEAM_SEASON],
    ["season", "matches", SEASON],
    ["season", "pool-config", SEASON, "competition"],
    ["episode", "list"],
    ["episode", "show", EPISODE],
    ["leaderboard"],
]
OWN_READERS = [
    ["submissions"],
    ["submissions", "--season", SEASON],
    ["leaderboard", "--mine"],
    ["matches"],
    ["matches", MATCH],
    ["matches", MATCH, "--logs"],
    ["assay", "list"],
    ["assay", "status", "mine"],
    ["assay", "results", RUN],
    ["auth", "player", "list"],
    ["auth", "player", "credentials", "list", "Ada"],
]


def table_rows(text: str) -> list[list[str]]:
    """Cells of a printed table, without its headers."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if set(line) == {"-", " "} or set(line) == {"-"}) + 1
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[start:] if line.strip()]


@pytest.mark.parametrize("words", READERS + OWN_READERS, ids=" ".join)
def test_json_is_one_document_and_nothing_else(cogames: Callable, server: Stub, words: list[str]) -> None:
    ran = cogames(*words, "--json")
    assert ran.code == 0, ran.err
    assert ran.out == json.dumps(json.loads(ran.out), indent=2) + "\n"
    assert cogames(*words).code == 0


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_public_things_need_no_account(cogames: Callable, named: Stub, words: list[str]) -> None:
    assert cogames(*words).code == 0
    assert all("x-auth-token" not in asked.headers for asked in named.log)


@pytest.mark.parametrize("words", [*OWN_READERS, ["match-artifacts", MATCH], ["submit", "mine"]], ids=" ".join)
def test_without_an_account_the_exit_code_is_1(cogames: Callable, named: Stub, words: list[str]) -> None:
    ran = cogames(*words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.error in ("Error: Not authenticated.", "Error: No saved user session found.")
    assert ran.hints == ["cogames auth login"]
    assert named.log == []


@pytest.mark.parametrize("words", [*OWN_READERS[:9], ["match-artifacts", MATCH], ["submit", "mine"]], ids=" ".join)
def test_an_expired_token_is_reported_first(cogames: Callable, server: Stub, words: list[str]) -> None:
    server.answer("GET", "/whoami", {"detail": "expired"}, 401)
    ran = cogames(*words)
    assert (ran.code, ran.error) == (1, "Error: Authentication failed (token expired or invalid).")
    assert server.lines[-1] == "GET /whoami"


def test_a_broken_whoami_does_not_matter(cogames: Callable, server: Stub) -> None:
    server.answer("GET", "/whoami", {"detail": "down"}, 500)
    assert cogames("matches").code == 0


@pytest.mark.parametrize("words", READERS + OWN_READERS, ids=" ".join)
def test_server_errors_are_reported_in_one_sentence(cogames: Callable, server: Stub, words: list[str]) -> None:
    for status, said in (
        (403, "Request failed: the reason"),
        (404, "not found"),
        (422, "Request failed: query.limit: too large"),
        (429, "Request failed: the reason"),
        (500, "Request failed: the reason"),
    ):
        detail = [{"loc": ["query", "limit"], "msg": "too large"}] if status == 422 else "the reason"
        server.answer("GET", r"/(?!whoami).*", {"detail": detail}, status)
        ran = cogames(*words)
        assert (ran.code, ran.out, said in ran.error) == (1, "", True), status


@pytest.mark.parametrize("answer", ["<html>", {}, [{"id": 1}], None, []])
def test_an_answer_of_the_wrong_shape_is_one_sentence(cogames: Callable, server: Stub, answer: object) -> None:
    server.answer("GET", r"/(?!whoami).*", answer)
    for words in (["season", "show", SEASON], ["episode", "show", EPISODE], ["assay", "results", RUN]):
        ran = cogames(*words)
        assert (ran.code, ran.out) == (1, "")
        # An empty list could be that of a league server without seasons.
        said = "unexpected response to /" if answer == [] else "is not a league server: it answers /"
        assert said in ran.error


def test_unknown_fields_are_printed(cogames: Callable, server: Stub) -> None:
    server.answer("GET", "/tournament/seasons", [{**SEASONS[0], "motto": "new", "pools": []}])
    assert json.loads(cogames("season", "list", "--json").out)[0]["motto"] == "new"


def test_the_older_spelling_lists_seasons(cogames: Callable, server: Stub) -> None:
    ran = cogames("seasons", "--json")
    assert json.loads(ran.out)[0]["name"] == SEASON
    assert "write `cogames season list`" in ran.err


def test_a_season_is_shown_with_its_facts(cogames: Callable, server: Stub) -> None:
    lines = cogames("season", "show", SEASON).out.splitlines()
    assert lines[0] == "Beta-Cvc"
    assert {"Name: beta-cvc", "Version: v1", "Entrants: 2 active / 3 total", "Started: 2026-03-01 12:00"} <= set(lines)
    assert lines[-2:] == ["  qualifying:", "  competition:"]
    ran = cogames("season", "show", "nope")
    assert (ran.code, ran.error) == (1, "Error: Season 'nope' not found")


def test_tables_show_the_server_response(cogames: Callable, server: Stub) -> None:
    assert table_rows(cogames("season", "list").out) == [[s["name"], s["summary"]] for s in SEASONS]
    assert table_rows(cogames("season", "stages", TEAM_SEASON).out) == [
        ["stage-1", "3", "6", "50.0%", "—", "—"],
        ["team-round-1", "2", "0", "0.0%", "4", "1"],
    ]
    assert table_rows(cogames("leaderboard").out) == [["1", "theirs:v5", "2.35", "9"], ["2", "mine:v2", "1.00", "8"]]
    places = cogames("season", "leaderboard", TEAM_SEASON, "-t", "score-policies").out
    assert table_rows(places) == [["1", "mine:v2", "3.00", "2"]]
    assert table_rows(cogames("season", "teams", TEAM_SEASON).out)[0][1:] == [
        "team-round-1",
        "1.50",
        "4",
        "no",
        "0:mine:v2, 1:theirs:v5",
    ]
    assert table_rows(cogames("season", "versions", SEASON).out) == [["v1", "0.27", "canonical", "2026-03-01 12:00"]]
    assert table_rows(cogames("matches").out)[0] == [
        MATCH,
        "2026-03-01 12:00",
        "completed",
        "competition",
        "mine:v2, theirs:v5",
        "1.25, —",
    ]
    assert table_rows(cogames("submissions").out) == [
        ["mine:v2", "2026-03-01 12:00", SEASON],
        ["mine:v1", "2026-03-01 12:00", "—"],
    ]
    assert table_rows(cogames("submissions", "--season", SEASON).out) == [
        ["mine:v2", "2026-03-01 12:00"],
        ["├ qualifying (retired): 2 matches"],
        ["└ competition (active): 6 matches"],
    ]


def test_progress_is_printed_in_lines(cogames: Callable, server: Stub) -> None:
    lines = cogames("season", "progress", TEAM_SEASON).out.splitlines()
    assert lines[1:] == [
        "Started: yes",
        "Phase: policy_eval",
        "Phase detail: pool=stage-1, stage_index=1",
        "Stages: 0/2",
        "Current stage: Play-ins: one-player",
    ]


def test_standings_of_teams_need_a_pool(cogames: Callable, server: Stub) -> None:
    ran = cogames("season", "leaderboard", TEAM_SEASON, "-t", "team")
    assert (ran.code, "--pool" in ran.error, server.log) == (1, True, [])
    assert cogames("season", "leaderboard", TEAM_SEASON, "-t", "other").code == 2


def test_standings_can_be_filtered(cogames: Callable, server: Stub) -> None:
    def names(*words: str) -> list[str]:
        return [row["policy"]["name"] for row in json.loads(cogames("leaderboard", *words, "--json").out)]

    assert names() == ["theirs", "mine"]
    assert names("--mine") == names("-P", "mine") == names("-P", "mine:v2") == names("-P", "mine:2") == ["mine"]
    assert names("-P", "mine:v7") == []
    assert cogames("leaderboard", SEASON, "--season", SEASON).code == 1
    assert cogames("leaderboard", "-P", "mine:x").code == 1


def test_empty_lists_are_not_errors(cogames: Callable, server: Stub) -> None:
    server.answer("GET", r".*/(leaderboard|matches|teams|stages|policies)", [])
    server.answer("GET", "/(assay/runs|episodes|players)", [])
    for words in (
        ["leaderboard"],
        ["matches"],
        ["season", "matches", SEASON],
        ["season", "teams", SEASON],
        ["season", "stages", SEASON],
        ["submissions", "--season", SEASON],
        ["assay", "list"],
        ["episode", "list"],
        ["auth", "player", "list"],
    ):
        ran = cogames(*words)
        assert ran.code == 0 and (ran.out.startswith("No")), words


def test_the_limit_is_the_servers_to_count(cogames: Callable, server: Stub) -> None:
    cogames("season", "matches", SEASON, "-n", "3")
    assert server.log[0].query == {"limit": ["3"]}
    assert cogames("season", "matches", SEASON, "-n", "0").code == 2


def test_a_match_is_shown_with_its_players(cogames: Callable, server: Stub) -> None:
    lines = cogames("matches", MATCH).out.splitlines()
    assert lines[0] == f"Match {MATCH}"
    assert lines[-2:] == ["  0: mine:v2 (2 agents) - Score: 1.25", "  1: theirs:v5 (2 agents) - Score: —"]
    failed = cogames("matches", FAILED_MATCH)
    assert "Error: it broke" in failed.out
    assert f"cogames match-artifacts {FAILED_MATCH} error-info" in failed.hints


def test_the_beginning_of_an_id_is_enough(cogames: Callable, server: Stub) -> None:
    assert cogames("matches", "444").out.startswith(f"Match {MATCH}")
    assert "2 of your matches" in cogames("matches", "4").error
    ran = cogames("matches", "99")
    assert (ran.code, "not found among your matches" in ran.error) == (1, True)


def test_the_beginning_of_an_id_is_looked_for_in_every_season(cogames: Callable, server: Stub) -> None:
    server.answer("GET", f"/tournament/seasons/{SEASON}/matches", [])
    assert cogames("matches", "444").code == 0
    server.answer("GET", f"/tournament/seasons/{TEAM_SEASON}/matches", [])
    assert cogames("matches", "444").code == 1


def test_many_matches_are_read_page_by_page(cogames: Callable, server: Stub) -> None:
    def page(asked: object) -> list[dict]:
        offset = int(asked.query.get("offset", ["0"])[0])  # type: ignore[attr-defined]
        rows = [{**MATCH_ROW, "id": f"{number:08x}-0000-4000-8000-000000000000"} for number in range(450)]
        return rows[offset : offset + 200]

    server.answer("GET", f"/tournament/seasons/{SEASON}/matches", page)
    server.answer("GET", "/tournament/matches/[^/]+", {**MATCH_ROW, "id": "000001c1-0000-4000-8000-000000000000"})
    assert cogames("matches", "000001c1").code == 0
    assert server.lines.count(f"GET /tournament/seasons/{SEASON}/matches") == 3


def test_logs_are_listed_and_saved(cogames: Callable, server: Stub) -> None:
    files = ["policy_agent_0.txt", "policy_agent_1.txt"]
    assert json.loads(cogames("matches", MATCH, "--logs", "--json").out)["logs"] == {POLICY_VERSION: files}
    assert cogames("matches", MATCH, "-d", "logs").code == 0
    assert sorted(path.name for path in Path("logs").iterdir()) == files
    assert Path("logs/policy_agent_0.txt").read_text() == "hello from the agent\n"


def test_a_log_cannot_choose_where_it_is_written(cogames: Callable, server: Stub, tmp_path: Path) -> None:
    evil = ["../../evil.txt", "/tmp/evil.txt", "policy_agent_0.txt"]
    server.answer("GET", "/tournament/matches/[^/]+/[^/]+/policy-logs", evil)
    ran = cogames("matches", MATCH, "-d", "logs")
    assert (ran.code, ran.error) == (1, "Error: 2 log(s) could not be saved")
    assert [path.name for path in Path("logs").iterdir()] == ["policy_agent_0.txt"]
    assert not list(tmp_path.rglob("evil.txt"))


def test_artifacts_are_printed_or_saved(cogames: Callable, server: Stub) -> None:
    assert cogames("match-artifacts", MATCH).out == "all of it\n"
    assert cogames("match-artifacts", MATCH, "error-info", "-o", "deep/error.json").code == 0
    assert json.loads(Path("deep/error.json").read_text())["message"] == "it broke"
    server.log.clear()
    cogames("match-artifacts", MATCH, "-p", OTHER_VERSION)
    assert server.lines == ["GET /whoami", f"GET /tournament/matches/{MATCH}/{OTHER_VERSION}/artifacts/logs"]
    assert cogames("match-artifacts", MATCH, "-p", "mine").code == 1
    server.answer("GET", "/stats/policy-versions", {"entries": [], "total_count": 0})
    assert "None of your policies" in cogames("match-artifacts", MATCH).error


def test_seasons_that_are_not_known_are_only_a_warning(cogames: Callable, server: Stub) -> None:
    server.answer("GET", "/tournament/my-memberships", {"detail": "broken"}, 500)
    ran = cogames("submissions")
    assert (ran.code, "warning: could not fetch the seasons of your policies" in ran.err) == (0, True)


def test_an_episode_is_shown_and_its_replay_saved(cogames: Callable, server: Stub) -> None:
    lines = cogames("episode", "show", EPISODE).out.splitlines()
    assert "  #0: mine:v2 (2 agents) - Avg Reward: 1.50" in lines
    assert "  tokens_written: 5.0000" in lines
    assert cogames("episode", "replay", EPISODE, "-o", "deep/game.json.z").code == 0
    assert Path("deep/game.json.z").read_bytes() == REPLAY
    assert all("x-auth-token" not in asked.headers for asked in server.log)
    assert cogames("episode", "show", "55").code == 1
    assert cogames("episode", "list", "-p", "mine").code == 1


def test_a_replay_may_be_elsewhere(cogames: Callable, server: Stub) -> None:
    """Nothing of the user goes along, so redirects are followed."""
    server.answer("GET", "/replays/1.json.z", f"{server.address}/elsewhere", 302)
    server.answer("GET", "/elsewhere", REPLAY)
    assert cogames("episode", "replay", EPISODE, "-o", "game.json.z").code == 0
    server.answer("GET", "/elsewhere", "gone", 410)
    assert "status 410" in cogames("episode", "replay", EPISODE, "-o", "game.json.z").error


def test_an_invalid_replay_is_reported_in_one_sentence(cogames: Callable, server: Stub) -> None:
    ran = cogames("episode", "replay", EPISODE)
    assert (ran.code, ran.error.startswith("Error: ")) == (1, True)


def test_runs_are_found_by_policy_or_id(cogames: Callable, server: Stub) -> None:
    assert f"Assay Run: {RUN}" in cogames("assay", "status", "mine:v2").out
    assert f"Assay Run: {RUN}" in cogames("assay", "status", RUN).out
    ran = cogames("assay", "results", "mine")
    assert (ran.code, f"the latest ({RUN}) is pending" in ran.error) == (1, True)
    server.answer("GET", "/assay/runs", [RUN_ROW, {**RUN_ROW, "status": "completed"}])
    assert table_rows(cogames("assay", "results", "mine").out.split("\n\n")[1]) == [["stability", "71.50"]]
    assert cogames("assay", "status", "absent").error == "Error: Policy 'absent' not found."
