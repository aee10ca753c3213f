"""The lines of the published documents that name a season, against a server with the demo in it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from observatory.commissioner.loop import Commissioner
from observatory.demo.filling import fill
from tests.league import League, running_league

SEASONS = ("beta-teams-small", "beta-cvc", "beta-cogsguard")


@contextmanager
def running_demo(folder: Path) -> Iterator[League]:
    with running_league(folder) as league:
        assert fill(league.world.app, policies=("starter",)) == ["demo", "demo-teams"]
        yield league


def use(league: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """Let commands talk to this server."""
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    monkeypatch.setenv("COGAMES_LOGIN_URL", f"{league.url}/api")
    return league


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[League]:
    with running_demo(tmp_path / "league") as league:
        yield use(league, monkeypatch)


@pytest.fixture(scope="module")
def shared_league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    with running_demo(tmp_path_factory.mktemp("demo")) as league:
        yield league


@pytest.fixture
def shared_demo(shared_league: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """A demo for tests that only read."""
    return use(shared_league, monkeypatch)


@pytest.fixture
def author(cogames: Callable, demo: League) -> Callable:
    """The command of someone who has signed in and packed the starter policy."""
    assert cogames("auth", "set-token", demo.names["token"]).code == 0
    assert cogames("create-bundle", "-p", "class=starter", "-o", "submission.zip").code == 0
    return cogames


def look(demo: League) -> None:
    """Let the seasons queue their next matches."""
    state = demo.world.app.state
    assert Commissioner(state.database, state.settings, lambda: datetime.now(UTC)).run_passes()


def test_the_demo_lists_the_documented_seasons_and_keeps_its_default(author: Callable) -> None:
    names = {season["name"] for season in json.loads(author("seasons", "--json").out)}
    assert {*SEASONS, "beta", "beta-teams-large", "beta-teams-tiny-fixed", "demo", "demo-teams"} <= names
    assert "demo" in author("season", "show", "demo").out
    defaults = [row["name"] for row in json.loads(author("season", "list", "--json").out) if row["is_default"]]
    assert sorted(defaults) == ["demo", "demo-teams"]


@pytest.mark.parametrize("season", SEASONS)
def test_a_policy_is_uploaded_submitted_and_followed(author: Callable, demo: League, season: str) -> None:
    upload = ["upload", "-p", "./submission.zip", "-n", "my-policy", "--no-submit", "--skip-validation"]
    assert author(*upload).code == 0
    submitted = author("submit", "my-policy:v1", "--season", season)
    assert submitted.code == 0, submitted.err
    entered = author("submissions", "--season", season, "--policy", "my-policy")
    assert entered.code == 0 and "my-policy" in entered.out and "(active)" in entered.out
    look(demo)
    matches = author("season", "matches", season, "--limit", "5")
    assert matches.code == 0
    if season != "beta-teams-small":  # a team season waits for its start
        assert "my-policy" in matches.out and "starter" in matches.out


def test_ship_in_one_go(author: Callable) -> None:
    words = ["ship", "-p", "./submission.zip", "-n", "my-policy", "--season", "beta-cvc", "--skip-validation"]
    assert "Shipped: my-policy:v1" in author(*words).out
    assert "beta-cvc" in author("submissions").out


@pytest.mark.parametrize(
    "line",
    [
        "leaderboard beta-cvc",
        "leaderboard --season beta-cvc",
        "leaderboard beta-cvc --policy slanky",
        "leaderboard beta-cvc --mine",
        "leaderboard --season beta-cogsguard --json",
        "submissions --season beta-cvc",
        *(
            f"season {verb} {season}"
            for verb in ("show", "versions", "stages", "teams", "leaderboard", "matches")
            for season in ("beta-cvc", "beta-teams-small")
        ),
        "season progress beta-teams-small",
        "season pool-config beta-cvc qualifying",
        "matches --season beta-cvc",
    ],
)
def test_a_question_about_a_documented_season_is_answered(cogames: Callable, shared_demo: League, line: str) -> None:
    cogames("auth", "set-token", shared_demo.names["token"])
    ran = cogames(*line.split())
    assert ran.code == 0, ran.err


def test_filling_again_changes_nothing(demo: League) -> None:
    with demo.http() as http:
        before = http.get("/tournament/seasons").json()
        fill(demo.world.app, policies=("starter",))
        assert http.get("/tournament/seasons").json() == before
        assert {row["version"] for row in before} == {1}
