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
    assert cogames("matches", match[:14], "--json").code == (
        0 if match[:14] != league.names["failed_match"][:14] else 1
    )
    assert cogames("episode", "replay", league.names["episode"], "-o", "game.json.z").code == 0
    assert Path("game.json.z").read_bytes() == b"replay"
    assert "mine:v2" in cogames("leaderboard", "--mine").out


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
