"""A game that hosts its players: each file holds a number, which is its score. SCRIPT names what it does wrong."""

import asyncio
import json
import os
import sys
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.server import serve

SCRIPT = os.environ.get("SCRIPT", "good")


def path_of(uri):
    return Path(urlsplit(uri).path)


def write(uri, data):
    path = path_of(uri)
    path.with_name(path.name + ".part").write_text(data)
    path.with_name(path.name + ".part").replace(path)


def answer(connection, request):
    path = urlsplit(request.path).path
    if path in ("/healthz", "/client/global", "/client/replay"):
        return connection.respond(HTTPStatus.OK, "ok\n")
    return None if path in ("/global", "/replay") else connection.respond(HTTPStatus.NOT_FOUND, "no\n")


async def show(socket):
    await socket.send("state")
    await socket.wait_closed()


async def main():
    async with serve(show, os.environ["COGAME_HOST"], int(os.environ["COGAME_PORT"]), process_request=answer):
        if "COGAME_PLAYER_SEATS_URI" in os.environ:
            await asyncio.sleep(0.2)
            play(json.loads(path_of(os.environ["COGAME_PLAYER_SEATS_URI"]).read_text()))
        if SCRIPT == "no_results":
            return
        await asyncio.sleep(3600)


def play(document):
    print(document["schema"])
    scores, statuses = [], []
    for seat in document["seats"]:
        data = path_of(seat["file_uri"]).read_bytes()
        assert len(data) == seat["size_bytes"]
        scores.append(float(data))
        if SCRIPT != "no_logs":
            path_of(seat["log_uri"]).write_text(f"slot {seat['slot']} says {data.decode()}\n")
        path_of(seat["artifact_uri"]).write_bytes(b"PK\x05\x06" + b"\0" * 18)
        statuses.append({"slot": seat["slot"], "state": "exited", "exit_code": 0})
    write(document["player_status_uri"], json.dumps({"schema_version": "1", "players": statuses}))
    if SCRIPT == "declares_player_failure":
        failure = {"message": "slot 1 is not a number", "failed_policy_index": 1}
        write(os.environ["COGAME_PLAYER_FAILURE_URI"], json.dumps(failure))
        return
    if SCRIPT == "exits_non_zero":
        sys.exit(6)
    if SCRIPT == "no_results":
        return
    write(os.environ["COGAME_SAVE_REPLAY_URI"], "replay")
    write(os.environ["COGAME_RESULTS_URI"], json.dumps({"scores": scores}))


asyncio.run(main())
