"""The published `coworld` and `softmax` commands against our server: leagues, episodes on request, uploads.

    python tests/compat/leagues_client.py NEWEST_PYTHON OLDER_PYTHON OLDEST_PYTHON [--record]

The interpreters are those of environments with `coworld` 0.1.64, 0.1.26 and 0.1.0. The oldest signs in with our
`softmax`, because its own is not published. A table has every command of theirs that
calls a server: how it ends, and whether it prints JSON; another table has those that are left out, with the reason. A
command in neither table is an error. With --record, the reading calls of each command are written to
`published_league_calls.json`, which `make test` replays.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
RECORD = "--record"
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from observatory.worker.client import HttpJobClient  # noqa: E402
from observatory.worker.loop import Worker  # noqa: E402
from tests.coworld_league import CALLS, running_coworld_league  # noqa: E402
from tests.league import League, filled  # noqa: E402


@dataclass(frozen=True)
class Step:
    """A command line of the version `only`, or of 0.1.26 and 0.1.64; `play` plays a waiting episode before it."""

    line: str
    code: int = 0
    only: str = ""
    play: bool = False
    saves: str = ""
    """the name under which the `id` of the printed document is kept"""
    shows: tuple[str, ...] = ()
    """what the command prints, with names of things in braces"""


NEW, OLD, OLDEST = "0.1.64", "0.1.26", "0.1.0"
COMMAND_SECONDS = 900
"""for a command that certifies a Coworld, sends its images and waits for the server's episodes"""
RATED = ("1516.0", "1484.0")
RUNNING = [
    Step("coworld leagues {ladder} --json", shows=("Paint Ladder",)),
    Step("coworld divisions --league {ladder} --json", shows=("{ladder_division}",)),
    Step("coworld results {ladder}", shows=("Competition",)),
    Step("coworld results {ladder_division} --json", shows=RATED),
    Step("coworld results {ladder_division}", shows=RATED),
    Step("coworld results {ladder_round} --json", shows=("5.0", "3.0")),
    Step("coworld rounds --league {ladder} --json", shows=("{running_round}", "{ladder_round}", '"running"')),
    Step("coworld rounds --league {ladder} --status running", shows=("{running_round}",)),
    Step("coworld rounds {running_round} --json", shows=('"running"',)),
    Step("coworld rounds {ladder_round} --json", shows=('"rating_after": 1516.0',)),
    Step("coworld episodes --round {ladder_round}", shows=("completed",)),
    Step("coworld memberships --league {ladder} --champions-only --json", shows=("mine", "theirs")),
    Step("coworld submissions --league {ladder} --json", shows=("placed",)),
    Step("coworld events --league {ladder} --json", shows=("round_completed", "round_started", "submission_placed")),
]
"""a league that is being played"""
STEPS = [
    Step("softmax set-token {token}"),
    Step("softmax status"),
    Step("softmax get-token"),
    Step("coworld player list --json"),
    Step("coworld player create second --json", only=NEW),
    Step("coworld leagues"),
    Step("coworld leagues --json"),
    Step("coworld leagues {league} --json"),
    Step("coworld leagues {league}"),
    Step("coworld divisions"),
    Step("coworld divisions --league {league} --json"),
    Step("coworld divisions {division} --json"),
    Step("coworld divisions {division}"),
    Step("coworld results {league}"),
    Step("coworld results {league} --json"),
    Step("coworld results {division} --json"),
    Step("coworld results {division}"),
    Step("coworld results {division} --include-recent-rounds 3 --json", only=OLD),
    Step("coworld results {round} --json"),
    Step("coworld results {round}"),
    Step("coworld results nothing", 2),
    Step("coworld rounds --league {league} --json"),
    Step("coworld rounds --division {division} --status completed --limit 1"),
    Step("coworld rounds {round} --json"),
    Step("coworld rounds {round}"),
    Step("coworld memberships --league {league} --active-only --champions-only --json"),
    Step("coworld memberships --mine"),
    Step("coworld memberships --policy mine --player {player} --json"),
    Step("coworld submissions --mine --json"),
    Step("coworld submissions --league {league} --policy mine:v1"),
    Step("coworld events --league {league} --json"),
    Step("coworld events --policy mine --limit 5"),
    *RUNNING,
    Step("coworld credits", only=NEW),
    Step("coworld credits --json", only=NEW),
    Step("coworld power-analysis {division} --json", only=NEW),
    Step("coworld power-analysis {league}", only=NEW),
    Step("coworld list"),
    Step("coworld list --json"),
    Step("coworld show {coworld} --json"),
    Step("coworld show {coworld}"),
    Step("coworld status {coworld} --json"),
    Step("coworld status {coworld}"),
    Step("coworld retry-certification {coworld}", 1, only=NEW),
    Step("coworld next-version paintarena"),
    Step("coworld images"),
    Step("coworld images --json"),
    Step("coworld reporters list --json", only=NEW),
    Step("coworld reporters search paint --json", only=NEW),
    Step("coworld league list --json"),
    Step("coworld league create paintarena second Second --json", only=NEW, saves="new_seed"),
    Step("coworld league create paintarena --json", only=OLD),
    Step("coworld league update {new_seed} --set minimum_champions=4 --json", only=NEW),
    Step("coworld league setup {league} --preview --json", 1, only=NEW),  # administrators may
    Step("coworld secret put paintarena key secret.txt --json"),
    Step("coworld secret list paintarena --json"),
    Step("coworld secret delete paintarena key --json"),
    Step("coworld xp-request create request.json --json", saves="created"),
    Step("coworld xp-request list --mine --json"),
    Step("coworld xp-request list"),
    Step("coworld xp-request get {created} --json"),
    Step("coworld xp-request get {created}", play=True),
    Step("coworld xp-request watch {created} --timeout 60", only=NEW),
    Step("coworld xp-request watch {request} --until evidence --timeout 60 --jsonl", 2, only=NEW),
    Step("coworld xp-request episodes {created} --json"),
    Step("coworld xp-request episodes {request} --view results --json", only=NEW),
    Step("coworld xp-request download {created} --include results --include replay -d files", only=NEW),
    Step("coworld episodes {episode} --json"),
    Step("coworld episodes {episode}"),
    Step("coworld episodes --policy mine --json"),
    Step("coworld episodes --round {round}"),
    Step("coworld episodes --mine --with-replay --json", only=OLD),
    Step("coworld episodes --division {division} --json", only=OLD),
    Step("coworld episode-stats {episode} --json"),
    Step("coworld episode-stats {episode}"),
    Step("coworld episode-results {episode}"),
    Step("coworld episode-results {episode} -o results.json"),
    Step("coworld episode-logs {episode} --list"),
    Step("coworld episode-logs {episode} --game"),
    Step("coworld episode-logs {episode} --agent 0"),
    Step("coworld episode-logs {episode} --mine -d logs"),
    Step("coworld replays --policy mine --json"),
    Step("coworld replays --policy mine --download-dir replays"),
    Step("coworld replay-open {episode} --hosted --no-open-browser"),
    Step("coworld upload-policy --file player --name sent --tag team=red", only=NEW),
    Step("coworld submit sent --league {league} --no-open-browser --auto-champion never", only=NEW),
    Step("coworld submit mine --league {league} --no-open-browser", 1, only=OLD),  # it is a member already
    Step("coworld retire-membership {membership} --reason done --json"),
    Step("coworld download {coworld}", only=NEW),  # 0.1.26 pulls images with docker at once
    Step("coworld visibility paintarena public", 1, only=NEW),
    Step("coworld hosted-game create {coworld}"),
    Step("coworld counterfactual create mine mine --league {league}", 1, only=NEW),
    Step("coworld lobby create {league}", only=NEW),
    *(Step(f"coworld lobby {action} lby_none", 1, only=NEW) for action in ("get", "start", "leave", "cancel", "end")),
    *(Step(f"coworld lobby {action} lby_none 1", 1, only=NEW) for action in ("claim", "remove")),
    Step("coworld lobby seat lby_none 1:closed", 1, only=NEW),
    Step("coworld player use {player}"),
    Step("coworld player unset"),
    Step("softmax logout"),
]
OLDEST_STEPS = [
    Step(line if line.startswith("softmax") else f"coworld {line}", code, only=OLDEST)
    for code, lines in (
        (
            0,
            """\
softmax set-token {token}
leagues
leagues {league} --json
divisions --league {league}
divisions {division} --json
results {league} --json
results {division} --include-recent-rounds 3 --json
results {round} --json
rounds --league {league} --limit 1 --offset 0 --json
rounds {round} --json
pools --round {round} --json
pools {pool}
pools --round {running_round} --json
pools {running_pool}
memberships --league {league} --active-only --champions-only --json
memberships --policy mine --player {player} --json
submissions --mine --json
events --league {league} --json
episodes {episode} --json
episodes --mine --with-replay --json
episodes --pool {pool} --json
episodes --division {division} --policy mine --json
episode-stats {episode} --json
episode-results {episode} -o results.json
episode-logs {episode} --list
episode-logs {episode} --agent 0
episode-logs {episode} --mine -d logs
replays --mine --download-dir replays
replays --policy mine --json
replay-open {episode} --hosted
list --json
show {coworld} --json
images --json
hosted-game create {coworld}""",
        ),
        (1, "submit mine --league {league}\nhosted-game join ps_none"),
    )
    for line in lines.splitlines()
]
OLDEST_STEPS[-3:-3] = [replace(step, only=OLDEST) for step in RUNNING if "--round" not in step.line]
CHANGES = [step.line for step in STEPS if "{created}" in step.line or "{new_seed}" in step.line]
"""commands about rows that other commands make: a filled server does not have them"""
LEFT_OUT = {
    "upload-coworld": "tests/compat/leagues_images.py; 0.1.0 pushes with docker",
    "upload-policy": "0.1.0 pushes with docker",
    "download": "0.1.26 and 0.1.0 pull with docker; tests/compat/leagues_images.py",
    "resolve-and-upload": "builds images with docker compose",
    "patch-commissioner": "tests/compat/leagues_images.py",
    "episode-annotations": "the players of this league write none",
    "hosted-game join": "joins a game that another command creates: tests/hosting",
    "league rebind": "needs an administrator",
    "league game-of-week": "needs an administrator",
    "reporters show": "no reporter is published here",
    "campaign": "not offered",
    "feed": "not offered",
    "counterfactual get": "not offered",
    "deploy-audit": "reads GitHub",
}
LOCAL = "certify build play run-episode scrimmage replay optimize docs stats init manifest-schema".split()
COMMANDS = """
import typer.main
from coworld.cli import app

def walk(command, words):
    for name, sub in getattr(command, "commands", {}).items():
        walk(sub, [*words, name])
    if not getattr(command, "commands", None):
        print(" ".join(words))

walk(typer.main.get_command(app), [])
"""


class Client:
    """The published commands of one version in a home folder of their own."""

    def __init__(self, python: Path, league: League, folder: Path, *, has_softmax: bool = True) -> None:
        self._programs, self._league, self._folder = python.absolute().parent, league, folder
        self._softmax = self._programs if has_softmax else Path(sys.executable).parent
        self._api = f"{league.url}/api" if has_softmax else league.url
        hidden = ("DISPLAY", "WAYLAND_DISPLAY", "COGAMES_API_URL")
        self._env = {name: value for name, value in os.environ.items() if name not in hidden}
        self._env |= {"HOME": str(folder), "COLUMNS": "200", "NO_COLOR": "1"}
        if not has_softmax:
            self._env |= {"PYTHONPATH": str(ROOT / "packages/softmax/src"), "COGAMES_LOGIN_URL": f"{league.url}/api"}

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        program, *words = shlex.split(filled(line, self._league.names))
        folder, server = self._programs, self._api
        if program == "softmax":
            folder, server = self._softmax, f"{self._league.url}/api"
        return subprocess.run(
            [str(folder / program), *words, "--server", server],
            cwd=self._folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )


def check(client: Client, league: League, step: Step) -> str | None:
    """Run a step and return the problem; None if there is none."""
    if step.play:
        jobs = HttpJobClient(league.url, league.names["worker_token"])
        Worker(jobs, "one").run(once=True)
        jobs.close()
    result = client.run(step.line)
    said = f"{result.stdout[-300:]} {result.stderr[-500:]}".strip()
    missing = [text for text in step.shows if filled(text, league.names) not in result.stdout]
    if missing:
        return f"does not show {', '.join(missing)}: {said}"
    if result.returncode != step.code:
        return f"ends with {result.returncode} instead of {step.code}: {said}"
    if step.code == 0 and "Traceback" in result.stderr:  # 0.1.26 prints one for every refusal
        return f"prints a traceback: {said}"
    if step.code == 0 and "--json" in step.line:
        try:
            document = json.loads(result.stdout)
        except ValueError:
            return f"prints no JSON: {said}"
        if step.saves:
            league.names[step.saves] = document["id"]
    return None


def not_in_the_tables(python: Path) -> list[str]:
    """Return the commands of a version that neither table has."""
    listed = subprocess.run([str(python), "-c", COMMANDS], capture_output=True, text=True, check=True).stdout
    lines = [f"{step.line.removeprefix('coworld ')} " for step in [*STEPS, *OLDEST_STEPS]]
    groups = tuple(f"{name} " for name in (*LEFT_OUT, *LOCAL))
    return [
        name
        for name in listed.splitlines()
        if not f"{name} ".startswith(groups) and not any(line.startswith(f"{name} ") for line in lines)
    ]


def noted(league: League, step: Step) -> dict[str, object]:
    """Return the calls of a command that read, with names in place of ids."""
    names = sorted(league.names.items(), key=lambda item: -len(item[1]))
    calls: list[dict[str, str]] = []
    for request in league.log:
        ask = unquote(request.ask)
        for name, value in names:
            ask = ask.replace(value, f"{{{name}}}")
        call = {"ask": ask, "auth": request.auth}
        if ask.startswith("GET /") and "/store/" not in ask and "cursor=" not in ask and call not in calls:
            calls.append(call)
    return {"command": step.line, "calls": calls}


def run_version(python: Path, version: str, notes: list[dict[str, object]]) -> dict[str, str | None]:
    """Run the steps of a version; return the problem of each, and add its calls to the notes."""
    problems: dict[str, str | None] = {}
    with tempfile.TemporaryDirectory() as name, running_coworld_league(Path(name) / "server") as league:
        home = Path(name) / "home"
        home.mkdir()
        (home / "secret.txt").write_text("s3cret")
        (Path(name) / "server" / "player").rename(home / "player")
        program = home / "player" / "player.py"
        program.write_text(f"{program.read_text()}\n# another version\n")
        roster = [{"player": {"policy_ref": "mine"}}] * 2
        body = {"coworld_id": league.names["coworld"], "roster": roster, "num_episodes": 1}
        (home / "request.json").write_text(json.dumps(body))
        client = Client(python, league, home, has_softmax=version != OLDEST)
        for step in OLDEST_STEPS if version == OLDEST else STEPS:
            if step.only in ("", version):
                league.log.clear()
                problems[step.line] = check(client, league, step)
                if step.code == 0 and step.line not in CHANGES:
                    notes.append(noted(league, step))
    missing = not_in_the_tables(python)
    problems["every command is in a table"] = ", ".join(missing) or None
    return problems


def main() -> int:
    logging.disable(logging.WARNING)  # of the server, which runs in this process
    failed = False
    notes: list[dict[str, object]] = []
    pythons = [Path(word) for word in sys.argv[1:] if word != RECORD]
    for python, version in zip(pythons, (NEW, OLD, OLDEST), strict=True):
        problems = run_version(python, version, notes)
        wrong = {line: problem for line, problem in problems.items() if problem}
        for line, problem in wrong.items():
            print(f"{version}: {line}: {problem}", file=sys.stderr)
        print(f"published coworld {version} against our server: {len(problems)} commands, {len(wrong)} different")
        failed |= bool(wrong)
    if RECORD in sys.argv and not failed:
        lines = [json.dumps(note) for note in notes if note["calls"]]
        CALLS.write_text("[\n" + ",\n".join(dict.fromkeys(lines)) + "\n]\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
