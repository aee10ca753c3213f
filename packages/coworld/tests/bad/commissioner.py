"""A commissioner that schedules nothing; SCRIPT names what it does wrong."""

import asyncio
import json
import os
import sys
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets.asyncio.server import serve

SCRIPT = os.environ.get("SCRIPT", "good")


def answer(connection, request):
    path = urlsplit(request.path).path
    if path == "/healthz":
        return connection.respond(HTTPStatus.OK, "ok\n")
    return None if path == "/round" else connection.respond(HTTPStatus.NOT_FOUND, "no\n")


async def speak(socket):
    assert json.loads(await socket.recv())["type"] == "schedule_rounds_request"
    if SCRIPT == "wrong_answer":
        words = ["round_schedule", "next_round", "round_structure", "leaderboard_rules", "scoring_mechanics"]
        description = dict.fromkeys(words, "x") | {"changelog": []}
        await socket.send(json.dumps({"type": "describe_division_response", "description": description}))
    else:
        await socket.send(json.dumps({"type": "schedule_rounds_response", "rounds": [], "persistent_players": []}))


async def main():
    if SCRIPT == "exits_at_once":
        sys.exit(2)
    print("at your service", flush=True)
    host, port = os.environ["COGAME_HOST"], int(os.environ["COGAME_PORT"])
    async with serve(speak, host, port, process_request=answer):
        await asyncio.sleep(3600)


asyncio.run(main())
