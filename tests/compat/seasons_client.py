"""The published `cogames` and `softmax` commands against our server: its whole workflow, and everything it can read.

    python tests/compat/seasons_client.py PUBLISHED_PYTHON

PUBLISHED_PYTHON is the interpreter of an environment with the published packages. For every command of
`published_calls.json`: it ends with 0, prints JSON where it should, and makes the calls that we noted, in that order.
Then come refusals, the methods of its client library that no command uses, and the `softmax` command.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from tests.league import League, expected_calls, filled, logged_calls, published_calls, running_league  # noqa: E402

NO_SERVER = ("auth set-token", "auth get-token", "auth login", "auth logout", "auth get-login-url")
REFUSALS = [
    "cogames submit mine:v1 --season {season}",
    "cogames submit absent --season {season}",
    "cogames season show nowhere",
    "cogames season progress {season}",
    "cogames season leaderboard {season} -t score-policies",
    "cogames season pool-config {season} nowhere",
    "cogames upload -n a:b -p class=starter --skip-validation",
    "cogames auth player login absent",
    "cogames auth player credentials revoke {player} {version}",
    "cogames assay status 00000000-0000-4000-8000-000000000000",
    "cogames episode show 00000000-0000-4000-8000-000000000000",
    "cogames matches 00000000-0000-4000-8000-000000000000",
    "cogames match-artifacts {match} nonsense",
    "cogames match-artifacts {match} logs -p {other_version}",
    "cogames season show {season}:9",
    "cogames auth player credentials create {player} -n x --scope bad",
]
MORE = [
    "cogames season stages {season} --json",
    "cogames season teams {season} --json",
    "cogames season leaderboard {season}:v1 --json",
    "cogames season leaderboard {team_season} -p stage-1 --json",
    "cogames leaderboard {team_season} --json",
    "cogames submissions --season {team_season} --json",
    "cogames matches --season {team_season}",
    "cogames matches {failed_match} --logs",
    "cogames match-artifacts {failed_match} error-info",
    "cogames assay results mine --json",
    "cogames assay list -p {version} --json",
]
SOFTMAX = [
    "softmax set-token {token}",
    "softmax status",
    "softmax get-token",
    "softmax get-login-url",
    "softmax login",
    "softmax cogames player list --json",
    "softmax cogames player login {player}",
    "softmax cogames player logout",
    "softmax logout",
]


# What its client library can ask beside its commands; runs under the published interpreter.
METHODS = """
import os, sys, uuid
from cogames.cli import client as library

names = dict(pair.split("=", 1) for pair in sys.argv[2:])
version, episode = uuid.UUID(names["version"]), uuid.UUID(names["episode"])
client = library.TournamentServerClient(sys.argv[1], names["token"])
season = client.get_season(names["season"])
config = next(pool.config_id for pool in season.pools if pool.config_id)
assert "game" in client.get_config(config)
assert client.get_policy_version(version).version == 2
assert client.browse_policies(name_fuzzy="min").total_count == 1
assert client.browse_policies(name_exact="mine", limit=1, offset=0).entries[0].latest_version == 2
assert client.get_policy_memberships(version)
found = client.query_episodes(primary_policy_version_ids=[version], limit=5, offset=0).episodes
assert episode in [one.id for one in found]
assert client.query_episodes(episode_ids=[episode], tag_filters={"match_type": ["pairing"], "job_id": None}).episodes
assert client.get_teams(names["team_season"], limit=1, offset=0, pool_name="team-round-1", eliminated=False)
assert client.get_teams(names["team_season"], policy_version_id=version)
assert client.get_optional_pool_config(names["season"], "nowhere") is None
assert client.get_match_artifacts(uuid.UUID(names["match"]), version, "logs")
room = {"mission_name": "room", "env_config": {"game": {"num_agents": 2}}, "num_episodes": 1, "max_steps": 5}
run = client.create_assay_run(policy_version_id=version, missions=[library.MissionSpec(**room)], name="again")
assert client.get_assay_run(run.id).status.value == "pending"
assert client.list_assay_runs(version)[0].id == run.id
assert client.finalize_assay_run(uuid.UUID(names["run"])).status.value == "completed"
print("methods answered")
"""


class Client:
    """The published commands in a home folder of their own."""

    def __init__(self, programs: Path, league: League, folder: Path) -> None:
        self._programs = programs
        self._league = league
        self._folder = folder
        self._env = {
            **{name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")},
            "HOME": str(folder),
            "COGAMES_LOGIN_URL": f"{league.url}/api",
            "COLUMNS": "200",
        }

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        program, *words = shlex.split(filled(command, self._league.names))
        called = [str(self._programs / program), *words, *self._server(command)]
        self._league.log.clear()
        return subprocess.run(
            called,
            cwd=self._folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def _server(self, command: str) -> list[str]:
        """Return the --server option, which every command that calls a server needs: the default host is not ours."""
        program, _, words = command.partition(" ")
        if words.startswith(("auth status", "status")):
            return ["--server", f"{self._league.url}/api"]
        asks = words.startswith("cogames player") if program == "softmax" else not words.startswith(NO_SERVER)
        return ["--server", self._league.url] if asks else []


def check(client: Client, command: str, code: int = 0) -> str | None:
    """Run a command and return the problem; None if there is none."""
    result = client.run(command)
    if result.returncode != code:
        return f"ends with {result.returncode} instead of {code}: {(result.stdout + result.stderr)[-500:]}"
    if code == 0 and "--json" in command:
        try:
            json.loads(result.stdout)
        except ValueError:
            return f"prints no JSON: {result.stdout[:200]}"
    return None


def check_noted(league: League, client: Client, note: dict) -> str | None:
    """Return the same, and whether it made the calls that we noted."""
    problem = check(client, note["command"])
    calls, expected = logged_calls(league), expected_calls(league, note)
    return problem or (None if calls == expected else f"calls {calls}, noted are {expected}")


def check_methods(league: League, python: Path) -> str | None:
    given = [f"{name}={value}" for name, value in league.names.items()]
    result = subprocess.run([str(python), "-c", METHODS, league.url, *given], capture_output=True, text=True)
    return result.stderr.strip().splitlines()[-1] if result.returncode else None


def main() -> int:
    logging.disable(logging.WARNING)  # of the server, which runs in this process
    python = Path(sys.argv[1])
    problems: dict[str, str | None] = {}
    with tempfile.TemporaryDirectory() as name, running_league(Path(name) / "server") as league:
        home = Path(name) / "home"
        home.mkdir()
        client = Client(python.parent, league, home)
        *workflow, logout = published_calls()
        for note in workflow:
            problems[note["command"]] = check_noted(league, client, note)
        for command in MORE:
            problems[command] = check(client, command)
        for command in REFUSALS:
            problems[f"{command} (refused)"] = check(client, command, 1)
        problems["the client library"] = check_methods(league, python)
        problems[logout["command"]] = check_noted(league, client, logout)
        for command in SOFTMAX:
            problems[command] = check(client, command)
    wrong = {command: problem for command, problem in problems.items() if problem}
    for command, problem in wrong.items():
        print(f"{command}: {problem}", file=sys.stderr)
    print(f"published client against our server: {len(problems)} commands, {len(wrong)} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
