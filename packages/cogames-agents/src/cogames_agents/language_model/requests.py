"""Run requests in background threads."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from cogames_agents.language_model.client import Answer, ModelClient

if TYPE_CHECKING:
    import httpx

__all__ = ["Desk", "Ticket"]


class Ticket:
    """A prompt under way."""

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        self._answered = threading.Event()
        self._answer = Answer(None)

    def answer(self, *, wait: bool = False) -> Answer | None:
        """Return the answer; None if it is not there yet and `wait` is false."""
        if wait:
            self._answered.wait()
        return self._answer if self._answered.is_set() else None

    def settle(self, answer: Answer) -> None:
        self._answer = answer
        self._answered.set()


class Desk:
    """Hands prompts to at most `parallel` threads, which end when no prompt is left.

    The threads are daemons: a program ends without waiting for replies.
    """

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._waiting: deque[Ticket] = deque()
        self._threads: set[threading.Thread] = set()

    def submit(self, prompt: str) -> Ticket:
        """Send a prompt in the background. A cached reply is there at once."""
        ticket = Ticket(prompt)
        cached = self._client.cached(prompt)
        if cached is None and self._client.settings.replies == "cache":
            cached = Answer(None, "no cached reply to this prompt")
        if cached is not None:
            ticket.settle(cached)
            return ticket
        with self._lock:
            self._waiting.append(ticket)
            if len(self._threads) < self._client.settings.parallel:
                thread = threading.Thread(target=self._work, name="language-model", daemon=True)
                self._threads.add(thread)
                thread.start()
        return ticket

    def withdraw(self, ticket: Ticket) -> None:
        """Forget a prompt that has not been sent yet."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                ticket.settle(Answer(None, "withdrawn"))

    def close(self) -> None:
        """Drop the prompts that have not been sent, and wait for the requests under way."""
        self._client.stopped.set()
        with self._lock:
            waiting, threads = list(self._waiting), list(self._threads)
        for ticket in waiting:
            self.withdraw(ticket)
        for thread in threads:
            thread.join()

    def _work(self) -> None:
        """Answer prompts until none is left."""
        try:
            with self._client.connect() as connection:
                while (ticket := self._next()) is not None:
                    ticket.settle(self._answer(ticket, connection))
        except Exception as error:  # the message may contain the key, as a header that is not allowed
            while (ticket := self._next()) is not None:
                ticket.settle(Answer(None, f"no HTTP client ({type(error).__name__})"))

    def _answer(self, ticket: Ticket, connection: httpx.Client) -> Answer:
        try:
            return self._client.ask(ticket.prompt, connection)
        except Exception as error:  # a step may wait for this ticket
            return Answer(None, f"the request failed ({type(error).__name__})")

    def _next(self) -> Ticket | None:
        """Return the next prompt; None, and the end of this thread, if there is none."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._threads.discard(threading.current_thread())
            return None
