"""Sign in with a browser page that calls back to this program, or with a token that the user pastes."""

from __future__ import annotations

import html
import os
import queue
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, quote, urlsplit

from softmax.client.addresses import login_page
from softmax.client.errors import ClientError, LoginFailed, Refused
from softmax.client.transport import call, send

__all__ = ["Callback", "exchange_code", "is_valid_token", "read_pasted_token", "sign_in"]

VALIDATE_SECONDS = 5.0
INVALID = (400, 401, 403, 404)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<body style="font-family: system-ui; margin: 4rem auto; max-width: 32rem"><h1>{title}</h1><p>{text}</p></body></html>"""


def is_valid_token(login: str, token: str) -> bool | None:
    """Return whether a login server accepts a token; None if its response does not say."""
    response = send(
        "GET", f"{login.rstrip('/')}/validate", headers={"Authorization": f"Bearer {token}"}, timeout=VALIDATE_SECONDS
    )
    if response.status_code in INVALID:
        return False
    try:
        return bool(response.json()["valid"]) if response.is_success else None
    except (ValueError, KeyError, TypeError):
        return None


def exchange_code(login: str, code: str) -> str:
    """Exchange a code for a token; a code works once and expires soon."""
    url = f"{login.rstrip('/')}/observatory/credentials/auth-codes/exchange"
    try:
        token = call("POST", url, json={"code": code}, resource="The page that exchanges codes").json()["token"]
    except Refused as error:
        raise LoginFailed(f"The code was not accepted: {error.detail or f'status {error.status}'}") from None
    except (ValueError, KeyError, TypeError):
        raise LoginFailed(f"{login} returned no token for the code") from None
    return str(token)


class Callback:
    """A local server that waits at `address` for the browser to deliver a token or a code."""

    def __init__(self) -> None:
        self.arrived: queue.Queue[tuple[str, str]] = queue.Queue()
        self._server = _CallbackServer(self.arrived)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self.address = f"http://127.0.0.1:{self._server.server_port}/callback"

    def __enter__(self) -> Callback:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def sign_in(
    login: str,
    *,
    show: Callable[[str], None],
    paste: Callable[[], str] | None = None,
    say: Callable[[str], None] = lambda text: None,
    timeout: float | None = None,
) -> str:
    """Sign in to a login server and return the token.

    `show` gets the URL of the page to open. `paste` asks the user for a token; a separate thread calls it until a token
    is accepted. The first token wins, whether pasted or sent by the browser. `say` reports why a pasted token was
    rejected. Raises `LoginFailed` if no token arrives within `timeout` seconds.
    """
    with Callback() as callback:
        show(f"{login_page(login)}?callback={quote(callback.address, safe='')}")
        if paste is not None:
            prompt = threading.Thread(target=_prompt, args=(login, paste, say, callback.arrived), daemon=True)
            prompt.start()
        try:
            kind, value = callback.arrived.get(timeout=timeout)
        except queue.Empty:
            raise LoginFailed(f"No sign-in within {timeout:g} seconds", ["cogames auth login"]) from None
    return exchange_code(login, value) if kind == "code" else value


def read_pasted_token() -> str:
    """Read a line from the terminal.

    `input` would hold a lock that the program needs to exit when the browser signs in first.
    """
    print("Token: ", end="", file=sys.stderr, flush=True)
    line = os.read(sys.stdin.fileno(), 65536).decode(errors="replace")
    if not line:
        raise EOFError
    return line


def _prompt(
    login: str, paste: Callable[[], str], say: Callable[[str], None], arrived: queue.Queue[tuple[str, str]]
) -> None:
    while True:
        try:
            token = paste().strip()
        except (EOFError, KeyboardInterrupt):
            return
        if not token:
            continue
        try:
            valid = is_valid_token(login, token)
        except ClientError:
            valid = None
        if valid is not False:
            arrived.put(("token", token))
            return
        say("That token is not valid; copy it again from the page")


class _CallbackServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, arrived: queue.Queue[tuple[str, str]]) -> None:
        self.arrived = arrived
        super().__init__(("127.0.0.1", 0), _CallbackHandler)


class _CallbackHandler(BaseHTTPRequestHandler):
    server: _CallbackServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        if parts.path != "/callback":
            self._answer(404, "Page not found", "This address only receives the result of a sign-in.")
            return
        for kind in ("token", "code"):
            if query.get(kind):
                self._answer(200, "Signed in", "You can close this page and go back to the terminal.")
                self.server.arrived.put((kind, query[kind][0]))
                return
        self._answer(400, "Not signed in", "The page came back without a token. Try again from the terminal.")

    def do_OPTIONS(self) -> None:
        self._answer(204, "", "")

    def _answer(self, status: int, title: str, text: str) -> None:
        body = PAGE.format(title=html.escape(title), text=html.escape(text)).encode() if title else b""
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Methods", "GET")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Log nothing: the URL contains a token."""
