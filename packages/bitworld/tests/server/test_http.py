"""Plain HTTP answers as the published server recorded them, and access to the match controls."""

import json
from pathlib import Path
from typing import Any

import pytest

from bitworld.games.among_them import AmongThem
from bitworld.replays import ReplayGame, read_replay
from bitworld.server import Match, ReplayRoom, Room
from packages.bitworld.tests.server.rooms import client, closed, receive, request, run, serving, until
from packages.bitworld.tests.tiny import Tiny

SLOTS = [{"name": "amy", "token": "tk0"}, {}, {"token": "tk2"}]


def recorded(oracle_dir: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((oracle_dir / "bitworld" / "wire" / "http.json").read_text())
    return rows


def head(row: dict[str, Any]) -> tuple[int, dict[str, str]]:
    first, *lines = row["responseHead"].split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines)


def test_plain_requests_get_the_recorded_answers(oracle_dir: Path) -> None:
    plain = [row for row in recorded(oracle_dir) if "bodyLen" in row and row["tag"] != "kick live player"]
    assert len(plain) > 20

    async def scenario() -> None:
        async with serving(Match(AmongThem)) as server:
            for row in plain:
                status, headers, body = await request(server, row["method"], row["path"], row["requestHeaders"])
                expected_status, expected = head(row)
                is_page = row["path"].startswith("/client/") and row["method"] == "GET"
                if is_page and not row["path"].endswith(".html"):
                    continue  # scripts of the published pages
                if is_page and row["path"] != "/client/nope.html":
                    expected["Content-Length"] = headers["Content-Length"]  # our own pages
                elif row["body"]:
                    assert body == row["body"].encode(), row["path"]
                assert (status, headers) == (expected_status, expected), row["path"]

    run(scenario)


def test_joins_are_accepted_and_refused_as_recorded(oracle_dir: Path) -> None:
    joins = [row for row in recorded(oracle_dir) if row.get("path", "").startswith("/player?") and "tag" in row]
    joins = [row for row in joins if head(row)[0] == 101 and row["tag"] != "rejoin after restart"]
    assert len(joins) == 10

    async def scenario() -> None:
        async with serving(Match(lambda: AmongThem({"slots": SLOTS}))) as server:
            for row in joins:
                async with client(server, row["path"]) as connection:
                    assert connection.response is not None
                    names = {name.lower() for name in head(row)[1]}
                    assert {name.lower() for name in connection.response.headers} - {"date"} == names
                    if row["closedByServer"]:
                        assert await closed(connection), row["tag"]
                    else:
                        assert len(await receive(connection)) == 8192, row["tag"]

    run(scenario)


def test_a_kicked_player_is_refused_until_the_match_restarts(oracle_dir: Path) -> None:
    (refusal,) = (row for row in recorded(oracle_dir) if row.get("tag") == "rejoin after kick")

    async def scenario() -> None:
        room = Match(Tiny)
        async with serving(room) as server:
            upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            async with client(server, "/player?name=a%20b") as connection, client(server, "/player?name=c") as other:
                await receive(connection)
                assert (await request(server, "POST", "/control/kick?identity=a%20b"))[0] == 202
                assert await closed(connection) == "You were kicked"
                await until(lambda: [seat.name for seat in room.game.seats] == ["c"])
                status, headers, body = await request(server, "GET", "/player?name=a_b", upgrade)
                assert (status, headers) == head(refusal)
                assert body == b"player was kicked\n"
                before = room.game
                assert (await request(server, "POST", "/control/restart"))[0] == 202
                await until(lambda: room.game is not before)
                async with client(server, "/player?name=a_b") as again:
                    await receive(again)
                    await until(lambda: [seat.name for seat in room.game.seats] == ["c", "a_b"])
                await receive(other)

    run(scenario)


@pytest.mark.parametrize("name", ["player", "global", "rewards", "stats"])
def test_pages_are_served_under_both_folders_and_without_their_ending(name: str) -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny)) as server:
            answers = [
                await request(server, "GET", f"/{folder}/{name}{ending}")
                for folder in ("client", "clients")
                for ending in ("", ".html")
            ]
            assert {status for status, _, _ in answers} == {200}
            assert len({body for _, _, body in answers}) == 1
            assert answers[0][1]["Content-Type"] == "text/html; charset=utf-8"

    run(scenario)


@pytest.mark.parametrize("target", ["/client/../program.py", "/client/%2e%2e/program.py", "/client//etc/passwd"])
def test_addresses_outside_the_pages_lead_to_the_banner(target: str) -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny)) as server:
            assert (await request(server, "GET", target))[2] == b"Tiny server"

    run(scenario)


def test_pages_of_other_sites_cannot_use_the_match_controls() -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny)) as server:
            for origin, status in (
                ("http://127.0.0.1:9", 202),
                ("http://localhost", 202),
                ("https://evil.example", 403),
            ):
                answer = await request(server, "POST", "/control/restart", f"Origin: {origin}\r\n")
                assert answer[0] == status, origin

    run(scenario)


def test_with_an_admin_token_only_its_holder_controls_the_match() -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny), admin_token="secret") as server:
            assert (await request(server, "POST", "/control/restart"))[0] == 403
            assert (await request(server, "POST", "/control/restart?token=wrong"))[0] == 403
            assert (await request(server, "POST", "/control/restart?token=secret"))[0] == 202
            bearer = "Authorization: Bearer secret\r\n"
            assert (await request(server, "POST", "/control/kick?identity=x", bearer))[0] == 202

    run(scenario)


def test_match_controls_are_disabled_for_replays(oracle_dir: Path) -> None:
    folder = oracle_dir / "bitworld"
    replay = read_replay((folder / "replays" / "live_server.bitreplay").read_bytes())
    room: Room = ReplayRoom(ReplayGame(replay, more_config={"mapPath": str(folder / "map" / "map.json")}))
    rows = [row for row in recorded(oracle_dir) if row.get("tag") == "replay mode"]
    assert len(rows) == 3

    async def scenario() -> None:
        async with serving(room) as server:
            for row in rows:
                status, headers, body = await request(server, row["method"], row["path"])
                assert (status, headers) == head(row)
                assert body == row["body"].encode()

    run(scenario)


def test_requests_that_are_not_http_are_answered_and_closed() -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny)) as server:
            assert (await request(server, "", "/"))[0] == 400
            assert (await request(server, "GET", "/", "x" * 9000))[0] == 431

    run(scenario)
