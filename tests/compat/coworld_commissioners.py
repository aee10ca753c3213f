"""Commissioners of published Coworld releases run leagues on our server, unchanged, in the sandbox of a worker.

usage: coworld_commissioners.py PYTHON [PYTHON ...]     interpreters with a published `coworld` each, newest first

Each release brings its own package: a program beside it (`published_commissioner.py`) uses its protocol module. The
program migrates the league if the release can, plays two rounds, carries its state, is aborted once, and refuses the
questions that it does not know. A later version of the game replaces the program by that of another release. The
template of a release that has one starts and answers, too. This script plays the episodes. Exit status 1 when anything
differs.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import httpx  # noqa: E402

from observatory.accounts.service import mint_worker_token  # noqa: E402
from observatory.database.tables.coworlds import ContentKind, Coworld  # noqa: E402
from observatory.store.layout import content_key  # noqa: E402
from packages.observatory.tests.commissioners.conversing import (  # noqa: E402
    Commissioned,
    make_account,
    make_commissioned,
)
from packages.observatory.tests.commissioners.test_programs import working  # noqa: E402
from packages.observatory.tests.requests.conftest import archive  # noqa: E402
from tests.compat.coworld_releases import installed  # noqa: E402
from tests.league import running_server  # noqa: E402

PROGRAM = Path(__file__).with_name("published_commissioner.py")
TEMPLATE = Path("templates", "roles", "commissioner", "commissioner.py")
NEEDED = ("tenacity",)
"""packages that a release imports and our interpreter does not have"""
PATIENCE_SECONDS = 180


def main(pythons: list[str]) -> bool:
    logging.disable(logging.WARNING)  # of the server, which runs in this process
    os.environ |= {"OBSERVATORY_LOG_LEVEL": "ERROR", "METTAGRID_LOG_LEVEL": "ERROR"}  # of the worker's processes
    good = True

    def check(claim: str, found: object, expected: object) -> None:
        nonlocal good
        good &= found == expected
        print(f"  {'same' if found == expected else 'DIFFERS'}  {claim}", flush=True)
        if found != expected:
            print(f"    expected {expected}\n    found    {found}", flush=True)

    releases = [installed(Path(python)) for python in pythons]
    programs = {version: packed(example.parents[1], PROGRAM) for version, example in releases}
    for version, example in releases:
        print(f"compat: a commissioner of coworld {version}", flush=True)
        play(programs[version], check, has_scheduling=version != "0.1.0")
        template = example.parents[1] / TEMPLATE
        if template.is_file():
            print(f"compat: the commissioner template of coworld {version}", flush=True)
            answer(packed(example.parents[1], template), check)
    if len(releases) > 1:
        print("compat: the program of the oldest release, replaced by that of the newest", flush=True)
        replace(programs[releases[-1][0]], programs[releases[0][0]], check)
    return good


def packed(package: Path, program: Path) -> bytes:
    """Return a program with the package of its release, as its author would upload it."""
    mapping = {"images": {"published": {"argv": ["python", "commissioner.py"]}}}
    files = {"commissioner.py": program.read_text(), "coworld_local.json": json.dumps(mapping)}
    folders = [package, *(folder for name in NEEDED if (folder := package.parent / name).is_dir())]
    for folder in folders:
        for path in folder.rglob("*.py"):
            files[path.relative_to(package.parent).as_posix()] = path.read_text()
    return archive(files)


class Court:
    """A server with a league whose commissioner is a program, and a worker for it."""

    def __init__(self, folder: Path, program: bytes) -> None:
        self._folder, self._program = folder, program

    def __enter__(self) -> Court:
        self._server = running_server(self._folder)
        served = self._server.__enter__()
        self._world, self._url = served.world, served.url
        with self._world.database.transaction() as session:
            self._token = mint_worker_token(session, "worker", now=self._world.clock()).text
        image = self.store(self._program)
        owner = make_account(self._world, "owner")
        self._client = client = httpx.Client(base_url=self._url, timeout=60, trust_env=False)
        self.league = make_commissioned(
            self._world,
            client,  # type: ignore[arg-type]
            owner,
            self._token,
            image=image,
            schedule_interval_minutes=0.001,
        )
        self._lane = working(self._url, self._token)
        self._lane.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._lane.__exit__(None, None, None)
        self._client.close()
        self._server.__exit__(None, None, None)

    def store(self, program: bytes) -> str:
        """Store a program; return the name of its image."""
        sha256 = hashlib.sha256(program).hexdigest()
        self._world.app.state.store.put(content_key(ContentKind.PROGRAM, sha256), program)
        return f"sha256:{sha256}"

    def until(self, condition: Callable[[Commissioned], bool]) -> None:
        """Start what is due and play episodes until a condition holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition(self.league):
            if time.monotonic() > deadline:
                raise SystemExit(f"no end: {self.league.get(f'/v2/leagues/{self.league.league}/commissioner')}")
            self.league.loop.check_all()
            time.sleep(0.05)

    def replace(self, image: str) -> None:
        """Make the program of another image the commissioner, as the server does with a patched version."""
        with self._world.database.transaction() as session:
            row = session.query(Coworld).filter_by(canonical=True).one()
            [entry] = row.manifest["commissioner"]
            row.manifest = {**row.manifest, "commissioner": [{**entry, "image": image}]}


Check = Callable[[str, object, object], None]


def statuses(league: Commissioned) -> list[str]:
    return [row["status"] for row in league.rounds()]


def has_asked(league: Commissioned, number: int) -> bool:
    """Return whether a round of this number waits for its episodes."""
    rows = [row for row in league.rounds() if row["round_number"] == number]
    messages = league.get(f"/v2/rounds/{rows[0]['id']}/commissioner-messages") if rows else []
    return "episodes_accepted" in [row["message_type"] for row in messages]


def play(program: bytes, check: Check, *, has_scheduling: bool) -> None:
    with tempfile.TemporaryDirectory() as name, Court(Path(name), program) as court:
        league = court.league
        court.until(lambda league: has_asked(league, 1))
        divisions = [row["name"] for row in league.get("/v2/divisions", league_id=league.league)]
        check("the league has its divisions", divisions, ["Premier", "Second"] if has_scheduling else ["Competition"])
        league.post(f"/v2/rounds/{league.rounds()[0]['id']}/cancel", {"reason": "once more"})
        for number in (2, 3):
            ended = ["cancelled", *["completed"] * (number - 1)]
            court.until(lambda league, number=number: has_asked(league, number))  # type: ignore[misc]
            league.play()
            court.until(lambda league, ended=ended: statuses(league)[: len(ended)] == ended)  # type: ignore[misc]
        rounds = league.outcome()["rounds"][:3]
        check("an aborted round is cancelled", (rounds[0]["status"], rounds[0]["results"]), ("cancelled", []))
        ranked = [(1, "ben", 301.5), (2, "ann", 298.5)]
        check("two rounds have results", [row["results"] for row in rounds[1:]], [ranked] * 2)
        check("the state is carried", [row["display"]["round"] for row in rounds[1:]], [1, 2])
        table = league.get(f"/v2/divisions/{league.division}/leaderboard")
        check("the table shows them", [row["player_name"] for row in table], ["ben", "ann"])


def answer(program: bytes, check: Check) -> None:
    with tempfile.TemporaryDirectory() as name, Court(Path(name), program) as court:

        def is_scheduled(league: Commissioned) -> bool:
            status = league.get(f"/v2/leagues/{league.league}/commissioner")
            asked = [row for row in status["conversations"] if row["phase"] == "scheduling"]
            return any(row["status"] == "completed" for row in asked)

        court.until(is_scheduled)
        status = court.league.get(f"/v2/leagues/{court.league.league}/commissioner")
        check("it answers, and asks for no rounds", (status["is_migrated"], statuses(court.league)), (True, []))


def replace(old: bytes, new: bytes, check: Check) -> None:
    with tempfile.TemporaryDirectory() as name, Court(Path(name), old) as court:
        court.until(lambda league: has_asked(league, 1))
        court.replace(court.store(new))
        court.league.play()
        court.until(lambda league: statuses(league)[:1] == ["completed"])
        court.until(lambda league: has_asked(league, 2))
        names = [row["name"] for row in court.league.get("/v2/divisions", league_id=court.league.league)]
        check("the league follows the new program", names, ["Premier", "Second"])
        court.league.play()
        court.until(lambda league: statuses(league)[:2] == ["completed"] * 2)
        shown = [row["round_display"]["round"] for row in court.league.rounds()[:2]]
        check("it continues with the state of the old one", shown, [1, 2])


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1:]))
