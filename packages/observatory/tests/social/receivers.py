"""A mail server and a webhook on free ports of this machine, which record what they get."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class MailServer:
    """Accepts e-mail over SMTP, unless `answers` has another answer to the content of the next message."""

    port: int
    letters: list[EmailMessage] = field(default_factory=list)
    connections: int = 0
    answers: list[str | None] = field(default_factory=list)
    """None ends the connection instead of an answer"""


class _Smtp(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server: MailServer = self.server.mail  # type: ignore[attr-defined]
        server.connections += 1
        self._say("220 test")
        while line := self.rfile.readline():
            word = line.split(b" ")[0].strip().upper()
            if word == b"DATA":
                self._say("354 send it")
                lines = []
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(part.removeprefix(b"."))
                answer = server.answers.pop(0) if server.answers else "250 accepted"
                if answer is None:
                    return
                if answer.startswith("2"):
                    parsed: Any = message_from_bytes(b"".join(lines), policy=policy.default)
                    server.letters.append(parsed)
                self._say(answer)
            elif word == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")


@dataclass
class Webhook:
    """Answers requests with the next of `statuses`, or 200."""

    port: int
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?key=1"


class _Hook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        hook: Webhook = self.server.hook  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        hook.requests.append((self.path, dict(self.headers), body))
        status = hook.statuses.pop(0) if hook.statuses else 200
        if status == 0:  # no answer at all
            self.close_connection = True
            return
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", hook.url)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def mail_server() -> Iterator[MailServer]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Smtp) as server:
        server.daemon_threads = True
        mail = MailServer(server.server_address[1])
        server.mail = mail  # type: ignore[attr-defined]
        with _served(server):
            yield mail


@contextmanager
def webhook() -> Iterator[Webhook]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hook) as server:
        server.daemon_threads = True
        hook = Webhook(server.server_address[1])
        server.hook = hook  # type: ignore[attr-defined]
        with _served(server):
            yield hook


@contextmanager
def _served(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join(10)
