"""A game of a stranger whose pages and answers attack: the program of its archive is this file.

It answers every path, says what reached it, and its socket echoes. `PAGE` is what its pages run in a browser.
"""

import asyncio
import json
import os
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.http11 import Response

MEGABYTE = 1 << 20
EVIL = "https://evil.example/"
PAGE = Path(__file__).with_name("stranger.html")
ODD_HEADERS = {
    "Set-Cookie": "observatory_session=stolen; Path=/",
    "Clear-Site-Data": '"*"',
    "Content-Security-Policy": "default-src *",
    "Access-Control-Allow-Credentials": "true",
    "Service-Worker-Allowed": "/",
    "Refresh": f"0; url={EVIL}",
    "Link": "</sign-out>; rel=prefetch",
}
REDIRECTS = {
    "/out": EVIL,
    "/slashes": "//evil.example/x",
    "/script": "javascript:alert(1)",
    "/up": "/../../v2/leagues",
    "/in": "/client/global?slot=1&token=secret&kept=yes",
}


def answer(status, body, **headers):
    given = {"Content-Type": "text/plain", "Content-Length": str(len(body)), "Connection": "close", **headers}
    return Response(status, HTTPStatus(status).phrase, Headers(given), body)


def page(connection, request):
    if "websocket" in request.headers.get("Upgrade", "").lower():
        return None
    path = urlsplit(request.path).path
    if path.startswith("/client/") and PAGE.exists():
        return answer(200, PAGE.read_bytes(), **{"Content-Type": "text/html", **ODD_HEADERS})
    if path in REDIRECTS:
        return answer(302, b"", Location=REDIRECTS[path], **ODD_HEADERS)
    if path == "/odd":
        return answer(200, b"odd", **ODD_HEADERS)
    if path == "/big":
        return answer(200, b"x" * (70 * MEGABYTE))
    if path == "/worker.js":
        return answer(200, b"onfetch = () => {}", **{"Content-Type": "text/javascript", **ODD_HEADERS})
    seen = {"path": request.path, "headers": [[name, value] for name, value in request.headers.raw_items()]}
    return answer(200, json.dumps(seen).encode(), **{"Content-Type": "application/json"})


async def visit(connection):
    await connection.send(json.dumps({"path": connection.request.path}))
    async for message in connection:
        if message == "close":
            await connection.close(4321, "bye")
        elif message == "many":
            for number in range(200):
                await connection.send("y" * MEGABYTE + str(number))
        else:
            await connection.send(f"{len(message)}")


async def main():
    host, port = os.environ["COGAME_HOST"], int(os.environ["COGAME_PORT"])
    async with serve(visit, host, port, process_request=page, max_size=None, ping_interval=None, compression=None):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
