"""Commands that read: text for people, and documents that match their schemas."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Call

READS = [
    "leagues",
    "leagues {league}",
    "divisions",
    "divisions --league {league}",
    "divisions {division}",
    "results {league}",
    "results {division}",
    "results {division} --include-recent-rounds 2",
    "results {round}",
    "rounds",
    "rounds --league {league} --status completed",
    "rounds --division {division} --limit 1",
    "rounds {round}",
    "pools",
    "pools --round {round}",
    "pools {pool}",
    "events",
    "events --league {league} --limit 5",
    "events --policy mine",
    "submissions",
    "submissions --mine --league {league}",
    "submissions --policy mine:v1",
    "memberships",
    "memberships --league {league} --active-only --champions-only",
    "memberships --mine --player {player}",
    "memberships --policy {version}",
    "list",
    "list --offset 1",
    "images --offset 1",
    "episodes --pool {pool}",
    "replays --pool {pool}",
    "xp-request list --offset 1",
    "show paintarena",
    "show {coworld}",
    "status {coworld}",
    "next-version paintarena",
    "images",
    "player list",
    "secret list paintarena",
    "credits",
    "power-analysis {division}",
    "power-analysis {league} --elo 25,50",
    "league list",
    "league lock {league}",
    "reporters list --server {url}",
    "episodes --mine",
    "episodes --league {league}",
    "replays --mine",
    "xp-request list",
    "xp-request list --mine",
]


@pytest.mark.parametrize("line", READS)
def test_a_command_that_reads_prints_text_and_a_document(line: str, call: Call, ask: Any) -> None:
    said = call(line)
    assert said.code == 0, (said.err, said.out)
    ask(line)
