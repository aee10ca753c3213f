"""A local endpoint that answers like a language model, to try the player without one.

    python -m cogames_agents.language_model.stand_in --port 8080

It speaks both protocols, on /v1/chat/completions and /v1/messages. Its directives follow a short script: half of the
cogs mine the scarcest element, and half capture junctions.
"""

from __future__ import annotations

import argparse
import json
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Received", "Response", "StandIn", "plan"]

POLL_S = 0.01  # longest wait for the end of the server


@dataclass(frozen=True)
class Received:
    """A request."""

    path: str
    headers: dict[str, str]
    """by lower-case name"""
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Response:
    """A response other than a reply in the protocol; `status` 0 closes the connection without one."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def plan(prompt: str) -> str:
    """Return a directive for a prompt of `build_planner_prompt`."""
    agent = re.search(r"^Agent (\d+):", prompt, re.MULTILINE)
    stock = re.search(r"^Team resources: (.*)$", prompt, re.MULTILINE)
    amounts = dict(re.findall(r"(\w+)=(\d+)", stock[1])) if stock else {}
    scarcest = min(amounts, key=lambda name: int(amounts[name]), default="carbon")
    if agent and int(agent[1]) % 4 in (1, 2):
        directive = {"mode": "convert_frontier", "skill": "align_frontier", "analysis": "I capture junctions."}
    else:
        directive = {"mode": "cover_missing_resources", "skill": "mine_biased_resource"}
        directive |= {"resource_bias": scarcest, "analysis": f"The team has least of {scarcest}."}
    return json.dumps(directive)


class StandIn(ThreadingHTTPServer):
    """Answers on a port of this machine, in threads; a context manager.

    `answer` gets each request and returns the text of the reply, or a `Response`. It may block.
    """

    daemon_threads = True

    def __init__(
        self, answer: Callable[[Received], str | Response] = lambda got: plan(got.prompt), port: int = 0
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer = answer
        self.received: list[Received] = []
        self.tokens = 0
        """tokens of all replies and their prompts, as stated in them"""
        self._thread = threading.Thread(target=self.serve_forever, args=(POLL_S,), name="stand-in", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_POST(self) -> None:
        try:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        except (ValueError, ConnectionError):  # the client may have ended in the middle of a request
            return
        received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.server.received.append(received)
        answer = self.server.answer(received)
        response = self._reply(received, answer) if isinstance(answer, str) else answer
        self.close_connection = True
        if response.status != 0:
            with suppress(ConnectionError):  # the client may have given up
                self._send(response)

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)

    def _reply(self, received: Received, text: str) -> Response:
        """Return a reply in the protocol of the path, with one token for each word."""
        counts = len(received.prompt.split()), len(text.split())
        self.server.tokens += sum(counts)
        document: dict[str, Any]
        if received.path == "/v1/messages":
            usage = dict(zip(("input_tokens", "output_tokens"), counts, strict=True))
            document = {"role": "assistant", "content": [{"type": "text", "text": text}], "usage": usage}
        elif received.path == "/v1/chat/completions":
            usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            document = {"choices": [choice], "usage": usage}
        else:
            return Response(404, b'{"error": "not found"}')
        return Response(200, json.dumps(document).encode(), {"content-type": "application/json"})

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for a request."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    with StandIn(port=parser.parse_args().port) as server:
        print(f"Answering on {server.url}; press Ctrl-C to stop", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{len(server.received)} requests, {server.tokens} tokens")


if __name__ == "__main__":
    main()
