"""Our commands against our server: the same calls in the same order as the published client, and an author's day."""

import html
import json
import re
import shlex
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from cogames.client import TournamentServerClient, fetch_whoami
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, save_replay
from mettagrid.simulator import Simulation
from mettagrid.viewer import ReplayServer
from observatory.store import job_key
from softmax.client.sign_in import sign_in
from tests.league import MESSAGE, League, expected_calls, filled, logged_calls, published_calls, running_league

POLICY = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action


class Agent(AgentPolicy):
    def step(self, obs):
        return Action(name="move_north")


class North(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)
"""


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with running_league(tmp_path / "league") as running:
        yield running


def test_every_command_makes_the_noted_calls(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    monkeypatch.setenv("COGAMES_LOGIN_URL", f"{league.url}/api")
    for note in published_calls():
        words = shlex.split(filled(note["command"], league.names))[1:]
        if words[:2] == ["auth", "status"]:
            words += ["--server", f"{league.url}/api"]
        league.log.clear()
        ran = cogames(*words)
        assert ran.code == 0, (note["command"], ran.err)
        assert logged_calls(league) == expected_calls(league, note), note["command"]
        if "--json" in words:
            json.loads(ran.out)


def test_an_author_uploads_submits_and_watches(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    monkeypatch.setenv("API_KEY", "very hidden")
    token = league.names["token"]
    assert cogames("auth", "set-token", "-", stdin=f"{token}\n").code == 0
    assert "user_email: ada@example.com" in cogames("auth", "status").out
    Path("north.py").write_text(POLICY)
    words = ["-p", "class=north.North", "-f", "north.py", "-n", "north", "--skip-validation"]
    ran = cogames("upload", *words, "--secret-env", "API_KEY")
    assert ran.code == 0, ran.err
    assert "Upload complete: north:v1\nAdded to pools: qualifying\n" in ran.out
    assert "Shipped: north:v2" in cogames("ship", *words).out
    assert "not submitted" in cogames("submit", "north:v1").error
    rows = json.loads(cogames("submissions", "--json").out)
    assert [(row["name"], row["version"]) for row in rows[:2]] == [("north", 2), ("north", 1)]
    entered = cogames("submissions", "--season", league.names["season"], "-p", "north:v2").out
    assert "qualifying (active): 0 matches" in entered

    match = league.names["match"]
    assert cogames("matches", match, "--download-logs", "logs").code == 0
    assert Path("logs/policy_agent_0.txt").read_text() == MESSAGE
    assert cogames("match-artifacts", match).out == MESSAGE
    assert "it broke" in cogames("match-artifacts", league.names["failed_match"], "error-info").out
    explained = cogames("explain", league.names["failed_match"])
    assert explained.code == 0 and "  it broke\n" in explained.out and "was not played to its end" in explained.out
    assert json.loads(cogames("explain", match, "--json").out)["failures"] == []
    assert cogames("matches", match[:14], "--json").code == (
        0 if match[:14] != league.names["failed_match"][:14] else 1
    )
    assert cogames("episode", "replay", league.names["episode"], "-o", "game.json.z").code == 0
    assert Path("game.json.z").read_bytes() == b"replay"
    assert "mine:v2" in cogames("leaderboard", "--mine").out


def test_an_author_downloads_withdraws_and_deletes_an_upload(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    assert cogames("auth", "set-token", "-", stdin=f"{league.names['token']}\n").code == 0
    Path("north.py").write_text(POLICY)
    assert cogames("upload", "-p", "north.North", "-n", "my north", "--skip-validation").code == 0
    cogames("create-bundle", "-p", "north.North")
    assert "hint: cogames validate-bundle -p ./my_north-v1.zip" in cogames("download-policy", "my north").err
    assert Path("my_north-v1.zip").read_bytes() == Path("submission.zip").read_bytes()
    ran = cogames("download-policy", "my north:v1")
    assert (ran.code, ran.error) == (1, "Error: my_north-v1.zip exists")
    assert cogames("download-policy", "my north", "--force").code == 0

    season = league.names["season"]
    ran = cogames("withdraw", "my north")
    assert (ran.code, ran.hints) == (1, ["stdin is not a terminal; pass --yes to confirm"])
    ran = cogames("delete-policy", "my north:v1", "--yes")
    assert ran.code == 1 and "withdraw it first" in ran.error
    ran = cogames("withdraw", "my north", "--yes")
    assert ran.out == f"Withdrew my north:v1 from season '{season}'\nLeft pools: qualifying\n"
    ran = cogames("delete-policy", "my north")
    assert (ran.code, ran.hints[0]) == (1, "cogames delete-policy 'my north:v1' deletes one version")
    assert cogames("delete-policy", "my north", "--all-versions", "--yes").out == "Deleted my north:v1\n"
    assert "my north" not in cogames("submissions").out
    ran = cogames("delete-policy", "mine", "--all-versions", "--yes")
    assert ran.code == 1 and "it is part of season" in ran.error


def test_matches_and_assays_are_followed_to_their_end(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    cogames("auth", "set-token", league.names["token"])
    world, names = league.world, league.names
    versions = [(UUID(names["version"]), 2), (UUID(names["other_version"]), 2)]
    match = world.match(names["season"], "competition", versions, repetition=7)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        """Play the match while the command waits."""
        pauses.append(seconds)
        if len(pauses) == 2:
            world.play(match, [1.0, 2.0, 3.0, 4.0])

    monkeypatch.setattr("cogames.commands.shared.watching.time.sleep", pause)
    ran = cogames("matches", str(match), "--watch")
    assert (ran.code, len(pauses)) == (0, 2)
    lines = [line for line in ran.err.splitlines() if line.startswith("Match ")]
    assert lines == [f"Match {match}: pending", f"Match {match}: completed"]
    assert "Status: completed" in ran.out
    assert cogames("matches", names["failed_match"], "--watch").code == 1
    ran = cogames("matches", "--watch", "--json", "status")
    assert (ran.code, ran.err) == (1, "3 of 3 finished, 0 running, 1 failed\n")
    assert sorted(row["status"] for row in json.loads(ran.out)) == ["completed", "completed", "failed"]
    assert cogames("assay", "status", names["run"][:20], "--watch", "--json", "status").code == 0

    page = f"{league.url}/observatory"
    assert cogames("matches", str(match), "--web").out == f"{page}/matches/{match}\n"
    assert cogames("season", "show", names["season"], "--web").out == f"{page}/seasons/{names['season']}\n"
    assert cogames("submissions", "-p", "mine", "--web").out == f"{page}/policies/{names['version']}\n"
    assert cogames("assay", "status", "mine", "--web").out == f"{page}/policies/{names['version']}\n"


def test_a_prefix_of_several_ids_is_refused_with_the_candidates(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    cogames("auth", "set-token", league.names["token"])
    first, second = league.names["match"], league.names["failed_match"]
    length = next(n for n in range(1, 37) if first[:n] != second[:n])
    for words in (["matches"], ["match-artifacts"], ["reproduce"]):
        ran = cogames(*words, first[: length - 1])
        assert ran.code == 1 and "fits 2 of your matches; type more of the id" in ran.error
        assert {hint.split()[0] for hint in ran.hints} == {first, second}
    assert cogames("matches", first[:length]).code == 0
    ran = cogames("submit", "mien")
    assert (ran.error, ran.hints) == ("Error: Policy 'mien' not found.", ["did you mean mine?"])
    ran = cogames("assay", "status", "mine:v9")
    assert ran.hints == ["mine has versions 1, 2"]


def test_resources_of_other_users_are_refused(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    cogames("auth", "set-token", league.names["other_token"])
    names = league.names
    ran = cogames("match-artifacts", names["match"], "-p", names["version"])
    assert (ran.code, ran.error.startswith("Error: Request failed: ")) == (1, True)
    ran = cogames("submit", "mine")
    assert (ran.code, ran.error) == (1, "Error: Policy 'mine' not found.")
    cogames("auth", "set-token", "no-token-at-all")
    ran = cogames("matches")
    assert (ran.code, ran.error) == (1, "Error: Authentication failed (token expired or invalid).")


def test_acting_as_a_player(cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    cogames("auth", "set-token", league.names["token"])
    assert cogames("auth", "player", "login", "Pascal").code == 0
    status = cogames("auth", "status").out
    assert "subject_type: player" in status and league.names["player"] in status
    assert cogames("auth", "player", "create", "-n", "Blaise").code == 0
    assert cogames("auth", "player", "logout").code == 0
    assert "subject_type: user" in cogames("auth", "status").out


class Browser:
    """Follows the pages of a sign-in as a person would: fills in forms and keeps cookies."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def open(self, page: str) -> str:
        self.page = self._http.get(page)
        return self.page.text

    def press(self, button: str, **typed: str) -> str:
        form = next(one for one in re.findall("<form.*?</form>", self.page.text, re.S) if f">{button}</button>" in one)
        action = re.search(r'action="([^"]*)"', form)
        assert action is not None
        fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form))
        self.page = self._http.post(action[1], data={k: html.unescape(v) for k, v in fields.items()} | typed)
        return self.page.text


def test_a_person_signs_in_with_the_browser(league: League) -> None:
    admin = {"X-Auth-Token": league.names["admin_token"], "X-Use-Elevated-Privileges": "true"}
    invitation = httpx.post(f"{league.url}/admin/invitations", json={}, headers=admin).json()["url"]
    with httpx.Client(base_url=league.url, follow_redirects=True, trust_env=False) as http:
        browser = Browser(http)
        browser.open(invitation)
        browser.press("Make the account", email="grace@example.com", password="correct horse battery")

        def follow(page: str) -> None:
            browser.open(page)
            browser.press("Sign in")

        people: list[threading.Thread] = []

        def show(page: str) -> None:
            people.append(threading.Thread(target=follow, args=(page,)))
            people[0].start()

        token = sign_in(f"{league.url}/api", show=show, timeout=30)
        people[0].join()
    assert fetch_whoami(league.url, token).user_email == "grace@example.com"
    assert "You can close this page" in browser.page.text


def test_an_episode_is_watched_in_the_viewer(
    cogames: Callable, league: League, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorder = EpisodeRecorder.of(simulation := Simulation(MettaGridConfig.EmptyRoom(1, width=5, height=5), seed=1))
    for _ in range(3):
        simulation.step()
        recorder.record()
    file = tmp_path / "game.json.z"
    save_replay(recorder.finish(), file)
    job = league.world.job_of(UUID(league.names["match"]))
    league.world.app.state.store.put(job_key(job, "replay.json.z"), file.read_bytes())
    seen: list[int] = []

    def look(server: ReplayServer) -> None:
        seen.append(httpx.get(server.address, trust_env=False).status_code)

    monkeypatch.setattr(ReplayServer, "wait", look)
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    ran = cogames("episode", "replay", league.names["episode"], "--no-browser")
    assert (ran.code, seen) == (0, [200]), ran.err


def test_every_method_of_the_client_is_answered(league: League) -> None:
    """Those that no command uses."""
    names = league.names
    client = TournamentServerClient(league.url, names["token"])
    found = client.get_season(names["season"])
    config = next(pool.config_id for pool in found.pools if pool.config_id is not None)
    assert "game" in client.get_config(config)
    assert client.get_policy_version(names["version"]).label == "mine:v2"
    assert [row.name for row in client.browse_policies(name_fuzzy="min").entries] == ["mine"]
    assert client.get_policy_memberships(names["version"])[0].action == "add"
    query = client.query_episodes(primary_policy_version_ids=[names["version"]], limit=5)
    assert names["episode"] in {str(episode.id) for episode in query.episodes}
    assert client.get_teams(names["team_season"], eliminated=False, limit=1)[0].matches == 0
    assert client.get_season_matches(names["season"], pool_names=["qualifying"]) == []
