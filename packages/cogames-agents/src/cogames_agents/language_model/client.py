"""Ask the model: cache, budget, retries and deadline of one request."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cogames_agents.language_model.budget import Budget, Cost
from cogames_agents.language_model.replies import ReplyCache
from cogames_agents.language_model.settings import Settings
from cogames_agents.language_model.wire import SYSTEM, Protocol, WireError

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["Answer", "ModelClient"]

FREE = Cost(0, 0)
FRAME_TOKENS = 64
"""most tokens that an endpoint adds to the texts of a prompt"""
MAX_BYTES = 1_000_000
"""largest answer that is read"""


@dataclass(frozen=True)
class Answer:
    """The reply to a prompt, or the reason why there is none."""

    text: str | None
    error: str = ""
    cached: bool = False


@dataclass(frozen=True)
class Attempt:
    """The result of sending a request once."""

    text: str | None = None
    cost: Cost | None = FREE
    """tokens spent; None if unknown"""
    error: str = ""
    again: bool = False
    """whether another attempt makes sense"""
    wait_s: float = 0.0
    """wait that the endpoint asks for"""


class ModelClient:
    """Sends prompts to an endpoint. Methods may be called from several threads.

    Errors name the status or the kind of failure. They contain neither the key nor any text of the endpoint.
    """

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self.settings = settings
        self.budget = Budget(settings.budget_tokens, settings.budget_usd, settings.price_in, settings.price_out)
        self.requests = 0
        """requests sent, retries included"""
        self.stopped = threading.Event()
        """set to give up waiting"""
        self._protocol = Protocol(settings, environment)
        self._cache = None if settings.cache is None else ReplyCache(settings.cache, settings)
        self._lock = threading.Lock()
        self._verify: ssl.SSLContext | bool = False
        if settings.replies != "cache":
            import httpx  # here, because it takes longer than a step

            if settings.url.startswith("https:"):
                self._verify = httpx.create_ssl_context()

    def cached(self, prompt: str) -> Answer | None:
        """Return the cached reply; None if there is none."""
        reply = None if self._cache is None else self._cache.get(prompt)
        return None if reply is None else Answer(self._protocol.redact(reply), cached=True)

    def ask(self, prompt: str, connection: httpx.Client) -> Answer:
        """Return the reply to a prompt. Never raises for failures of the endpoint, the network or the cache."""
        cached = self.cached(prompt)
        if cached is not None:
            return cached
        settings, error = self.settings, ""
        most = Cost(len((SYSTEM + prompt).encode()) + FRAME_TOKENS, settings.max_tokens)
        deadline = time.monotonic() + settings.deadline_ms / 1000
        for number in range(settings.retries + 1):
            if not self.budget.reserve(most):
                return Answer(None, f"the budget is spent: {self._spent()}")
            attempt = self._send(prompt, connection, deadline)
            self.budget.settle(most, most if attempt.cost is None else attempt.cost)
            if attempt.text is not None:
                return self._store(prompt, attempt.text)
            error = attempt.error
            wait = max(attempt.wait_s, settings.backoff_ms / 1000 * 2**number)
            if not attempt.again or time.monotonic() + wait >= deadline or self.stopped.wait(wait):
                break
        return Answer(None, error)

    def connect(self) -> httpx.Client:
        """Return an HTTP client for one thread; the caller closes it."""
        import httpx

        for name in ("httpx", "httpcore"):  # they log each request, and headers that an endpoint may echo
            log = logging.getLogger(name)
            log.setLevel(max(log.level, logging.WARNING))
        return httpx.Client(
            verify=self._verify,
            trust_env=not self.settings.is_local,
            headers=self._protocol.headers(),
        )

    def _send(self, prompt: str, connection: httpx.Client, deadline: float) -> Attempt:
        import httpx

        with self._lock:
            self.requests += 1
        remaining = max(0.001, deadline - time.monotonic())
        try:
            body = self._protocol.body(prompt)
            with connection.stream("POST", self.settings.url, json=body, timeout=remaining) as response:
                payload = _read(response, deadline)
                return self._judge(response, payload)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return Attempt(error="no connection to the endpoint", again=True)
        except (httpx.TimeoutException, TimeoutError):
            return Attempt(cost=None, error=f"no reply within {self.settings.deadline_ms} ms")
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            return Attempt(cost=None, error=f"the connection failed ({type(error).__name__})", again=True)

    def _judge(self, response: httpx.Response, payload: bytes | None) -> Attempt:
        status = response.status_code
        if status == 429 or status >= 500:
            return Attempt(error=f"HTTP {status}", again=True, wait_s=_retry_after(response))
        if (
            status == 400
            and b"max_completion_tokens" in (payload or b"")
            and self._protocol.limit_field == "max_tokens"
        ):
            self._protocol.limit_field = "max_completion_tokens"
            return Attempt(error=f"HTTP {status}", again=True)
        if status != 200:
            return Attempt(error=f"HTTP {status}")
        if payload is None:
            return Attempt(cost=None, error=f"the reply is larger than {MAX_BYTES} bytes")
        try:
            text, cost = self._protocol.read(json.loads(payload))
        except WireError as error:
            return Attempt(cost=None, error=str(error))
        except (ValueError, RecursionError):
            return Attempt(cost=None, error="the reply is not JSON")
        return Attempt(text=text, cost=cost)

    def _store(self, prompt: str, text: str) -> Answer:
        if self._cache is not None:
            try:
                self._cache.put(prompt, text)
            except OSError as error:
                return Answer(text, f"the reply was not cached ({type(error).__name__})")
        return Answer(text)

    def _spent(self) -> str:
        usd = f", {float(self.budget.usd):.6f} USD" if self.settings.budget_usd is not None else ""
        return f"{self.budget.tokens} tokens{usd}"


def _read(response: httpx.Response, deadline: float) -> bytes | None:
    """Return the body; None if it is too large. Raises `TimeoutError` when the deadline has passed."""
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            return None
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(chunks)


def _retry_after(response: httpx.Response) -> float:
    text: Any = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0
