"""`observatory demo`, which `make run` starts: real processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx


@contextmanager
def running(data: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address, and the link it prints for signing in."""
    line = [sys.executable, "-m", "observatory", "demo", "--data", str(data), "--port", "0", "--workers", "1"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    output = ""
    try:
        while "Ctrl-C" not in output:
            words = process.stdout.readline()
            assert words, output
            output += words
        url, link = re.search(r"at (http://[^ ]+)/observatory\n", output), re.search(r"administrator: (\S+)", output)
        assert url is not None and link is not None, output
        yield process, url[1], link[1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def wait_for(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 240
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return value


def get(url: str) -> Any:
    answer = httpx.get(url, timeout=60, trust_env=False, verify=False)
    assert answer.is_success, answer.text
    return answer.json()


def completed(url: str) -> int:
    pages = [get(f"{url}/tournament/seasons/{season}/matches?limit=1000") for season in ("demo", "demo-teams")]
    return sum(match["status"] == "completed" for page in pages for match in page)


def qualified(url: str) -> set[str]:
    """The names of the policies with a result in the season `demo`."""
    table = get(f"{url}/tournament/seasons/demo/leaderboard?pool=qualifying")
    return {row["policy"]["name"] for row in table}


def leagues(url: str) -> dict[str, tuple[list[str], list[str]]]:
    """Return the divisions and the players of each league, by its name."""
    found = {}
    for league in get(f"{url}/v2/leagues"):
        divisions = get(f"{url}/v2/divisions?league_id={league['id']}")
        members = get(f"{url}/v2/league-policy-memberships?league_id={league['id']}")
        names = [row["name"] for row in divisions], sorted(row["player"]["name"] for row in members)
        found[league["name"]] = names
    return found


LEAGUES = {
    "Among Them": (["Ship"], ["Mash", "Scripted", "Still", "Wander"]),
    "Cogs vs Clips": (["Masters", "Rookies"], ["Cogsguard", "Miner", "Random", "Starter"]),
    "Paint Arena": (["Gold", "Silver", "Qualifiers"], ["Columns", "Hunter", "Nearest", "Sweep", "Wander"]),
}


def test_a_new_league_plays_signs_its_owner_in_and_continues(tmp_path: Path) -> None:
    data = tmp_path / "league"
    with running(data) as (process, url, link):
        seasons = get(f"{url}/tournament/seasons")
        names = {row["name"] for row in seasons}
        assert {"demo", "demo-teams", "beta-cvc", "beta-cogsguard", "beta-teams-small"} <= names
        assert {row["name"] for row in seasons if row["is_default"]} == {"demo", "demo-teams"}
        assert leagues(url) == LEAGUES
        queued = get(f"{url}/v2/episode-requests?limit=50")
        assert {row["status"] for row in queued["entries"]} <= {"pending", "running"}  # smoke episodes of the games
        wait_for(lambda: "cogsguard" in qualified(url))  # the house opponent has played, in a sandbox
        assert qualified(url) <= {
            "cogsguard",
            "starter",
            "aligner",
            "miner",
            "scout",
            "scrambler",
            "random",
            "noop",
        }
        with httpx.Client(base_url=url, follow_redirects=True, timeout=60, trust_env=False, verify=False) as browser:
            assert browser.get(f"{url}/enter?key=guessed").status_code == 404
            assert browser.get("/observatory/api/me").json()["signed_in"] is False
            assert browser.get(link).status_code == 200
            assert browser.get("/observatory/api/me").json()["is_admin"] is True
            assert httpx.get(link, timeout=60, trust_env=False, verify=False).status_code == 404  # it works once
        played = completed(url)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    os.stat(data / "observatory.db")
    with running(data) as (process, url, again):
        assert again.partition("key=")[2] != link.partition("key=")[2]
        assert completed(url) >= played > 0
        assert len(get(f"{url}/stats/policies?limit=50")["entries"]) == 9 + 13  # of seasons and of leagues
        assert leagues(url) == LEAGUES
        assert len(get(f"{url}/v2/coworlds")) == 4  # of the leagues, and the lessons
        wait_for(lambda: completed(url) > played)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
