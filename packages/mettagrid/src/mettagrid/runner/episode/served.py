"""A policy in another process, behind a connected socket, with a deadline that is enforced while waiting.

The other side is not trusted: it may answer late or never, or send too much or invalid data. None of this delays the
episode beyond the policy's time limits or affects the other policies.
"""

from __future__ import annotations

import logging
import socket
import time
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, PayloadTooBig, WebSocketException
from websockets.frames import CloseCode, Frame, Opcode
from websockets.uri import parse_uri

from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.episode.errors import PolicyFailure
from mettagrid.runner.episode.holder import SeatHolder, Seats
from mettagrid.runner.episode.received_infos import ReceivedInfos
from mettagrid.runner.policy_server.messages import (
    CLOSE_PROTOCOL_ERROR,
    ActionNumbers,
    prepare_request_json,
)

if TYPE_CHECKING:
    from mettagrid.runner.episode.outcome import VerdictStatus

__all__ = ["PolicyProcess", "Served", "ServedHolder"]

READ_BYTES = 1 << 16
#: Bytes to read at most before polling the other policies again.
READ_BYTES_PER_POLL = 1 << 20
#: Frames between two requests, including pings and the fragments of one answer.
MAX_FRAMES = 200
ANSWER_BYTES = 1 << 16
ANSWER_BYTES_PER_AGENT = 1 << 16
#: CPU time of this process that decoding the answers of one policy may take over an episode.
READING_SECONDS = 60.0

# The library logs every frame; a hostile peer could flood the log.
_silent = logging.getLogger("mettagrid.runner.episode.served.wire")
_silent.setLevel(logging.CRITICAL + 1)


class PolicyProcess(Protocol):
    """The process on the other side, if known."""

    def why_ended(self) -> tuple[VerdictStatus, str] | None:
        """Return the verdict and a message if the process has ended or is about to, else None. Must not block long."""
        ...

    def machine_fault(self) -> str | None:
        """Return the fault of this machine that may have made the process end or fail, or None."""
        ...

    def hide(self, text: str) -> str:
        """Return a text of the process without secrets and local paths."""
        ...

    def last_words(self) -> str:
        """End the process and return its traceback, or the end of its output."""
        ...

    def close(self) -> None:
        """End the process and clean up; called once, never raises."""
        ...


class Served:
    """A source of policies behind sockets: `connect()` returns a connected stream socket and its process, if known."""

    def __init__(self, name: str, connect: Callable[[], tuple[socket.socket, PolicyProcess | None]]) -> None:
        self.name = name
        self._connect = connect

    def open(self) -> SeatHolder:
        return ServedHolder(*self._connect())


class ServedHolder(SeatHolder):
    """Implements the policy server's protocol over a socket that it owns.

    At most one request is pending. If its answer is late, the agents do nothing and the answer is discarded when it
    arrives; until then no new request is sent. Each step waits for it until the step's own deadline.
    """

    def __init__(self, connection: socket.socket, process: PolicyProcess | None = None) -> None:
        self._socket = connection
        self._process = process
        self._is_open = False  # the WebSocket, not the socket
        self._is_prepared = False
        self._sent_at: float | None = None  # when the pending request was sent
        self._is_late = False  # the pending request belongs to an earlier step
        self._charged_ms = 0.0  # of the pending request's overage
        self._step = 0
        self._deadline = 0.0
        self._unsent = b""
        self._parts: list[bytes] = []
        self._is_text = False
        self._frames = 0
        self._bytes = 0
        self._reading_seconds = self._answer_seconds = 0.0
        self._answer_ms = array("d")
        self.isolation = getattr(process, "isolation", None)

    def prepare(self, seats: Seats) -> None:
        self._began = time.perf_counter()
        self._seats = seats
        self._max_bytes = ANSWER_BYTES + ANSWER_BYTES_PER_AGENT * len(seats.agent_ids)
        self._numbers = ActionNumbers(seats.interface, seats.table.streams)
        self._infos = ReceivedInfos(seats.policy_name)
        self._socket.setblocking(False)
        self._wire = ClientProtocol(parse_uri("ws://policy/"), max_size=self._max_bytes, logger=_silent)
        self._wire.send_request(self._wire.connect())
        self._flush()

    def start(self, limit_ms: int) -> None:
        self._limit = limit_ms / 1000
        patience_ms = self._seats.patience_ms
        self._patience = (3 * limit_ms + 10_000 if patience_ms is None else patience_ms) / 1000

    def ask(self, step: int) -> None:
        now = self._seats.table.clock()
        self._step = step
        self._deadline = now + self._limit
        if self._sent_at is not None:
            self._is_late = True
            self._receive()
        if self._sent_at is None:
            self._send_question()

    def poll(self) -> bool:
        self._flush()
        self._receive()
        if not self._is_prepared:
            return False
        if self._sent_at is None and self._is_late:
            # A late answer arrived while this step waited for it: there may be time left for a new request.
            self._send_question()
            self._receive()
        return self._sent_at is None

    def fileno(self) -> int | None:
        return self._socket.fileno()

    @property
    def wants_to_write(self) -> bool:
        return bool(self._unsent)

    @property
    def deadline(self) -> float:
        return self._deadline

    def give_up(self, step: int) -> None:
        seats, times = self._seats, self._seats.table.times
        for agent in seats.agent_ids:
            times.miss(agent, "did not come in time")
        assert self._sent_at is not None
        waited = seats.table.clock() - self._sent_at
        if waited >= self._patience:
            raise PolicyFailure("killed", f"gave no answer for {self._patience:g} seconds")
        self._check_budget(waited)
        self._charge(1000 * (waited - self._limit), only_if_all=True)

    def last_words(self) -> str:
        return "" if self._process is None else self._process.last_words()

    def machine_fault(self) -> str | None:
        return None if self._process is None else self._process.machine_fault()

    def close(self) -> None:
        try:
            if self._is_open and not self._unsent:
                self._wire.send_close(CloseCode.NORMAL_CLOSURE)
                self._flush()
        except (PolicyFailure, WebSocketException, ValueError):
            pass  # it is gone already
        finally:
            self._keep_times()
            self._socket.close()
            if self._process is not None:
                self._process.close()

    def _keep_times(self) -> None:
        times = sorted(self._answer_ms)
        if not times:
            return
        timings, last = self._seats.timings, len(times) - 1
        timings.answers, timings.total_ms, timings.slowest_ms = len(times), sum(times), times[-1]
        timings.median_ms, timings.p95_ms = times[last // 2], times[round(0.95 * last)]

    # Requests

    def _send_question(self) -> None:
        seats = self._seats
        table = seats.table
        request = policy_pb2.BatchStepRequest(episode_id=seats.episode_id, step_id=self._step)
        for agent in seats.agent_ids:
            table.write_observation(request.agent_observations.add(), agent)
        self._is_late = False
        self._charged_ms = 0.0
        self._frames = self._bytes = 0
        self._sent_at = table.clock()
        try:
            self._wire.send_binary(request.SerializeToString())
        except WebSocketException:
            raise self._ended() from None
        self._flush()

    def _take_answer(self, data: bytes) -> None:
        if self._sent_at is None:
            raise PolicyFailure("protocol_error", "answered without being asked")
        began = time.thread_time()
        answers = self._checked(data)
        # The time to decode an answer counts as the policy's.
        elapsed_ms = 1000 * (self._seats.table.clock() - self._sent_at)
        self._seats.table.trace(self._seats.agent_ids, self._step, self._sent_at, elapsed_ms)
        self._sent_at = None
        self._answer_ms.append(elapsed_ms)
        self._answer_seconds += elapsed_ms / 1000
        self._check_budget(0.0)
        if self._is_late:
            self._charge(elapsed_ms - 1000 * self._limit)
        else:
            self._put_on_table(answers)
        self._reading_seconds += time.thread_time() - began
        if self._reading_seconds > READING_SECONDS:
            raise PolicyFailure("protocol_error", f"its answers took more than {READING_SECONDS:g} seconds to read")

    def _put_on_table(self, answers: list[tuple[int, Any, tuple[int, int], dict[str, Any]]]) -> None:
        table = self._seats.table
        for agent, answer, (primary, vibe), infos in answers:
            table.actions[agent] = primary
            table.vibe_actions[agent] = vibe
            if answer.talk_text:
                table.say(agent, answer.talk_text, self._seats.policy_name)
            table.show(agent, infos)

    def _checked(self, data: bytes) -> list[tuple[int, Any, tuple[int, int], dict[str, Any]]]:
        """Return every agent's answer, in seat order; raises PolicyFailure unless each agent has a valid one."""
        from google.protobuf.message import DecodeError

        try:
            response = policy_pb2.BatchStepResponse.FromString(data)
        except DecodeError:
            raise PolicyFailure("protocol_error", "answered with bytes that are not a BatchStepResponse") from None
        answers = {answer.agent_id: answer for answer in response.agent_actions}
        if len(response.agent_actions) != len(answers) or answers.keys() != set(self._seats.agent_ids):
            raise PolicyFailure("protocol_error", "did not answer once for each of its agents")
        checked = []
        for agent in self._seats.agent_ids:
            answer = answers[agent]
            if len(answer.action_id) != 1:
                raise PolicyFailure("protocol_error", f"chose {len(answer.action_id)} actions for agent {agent}")
            numbers = self._numbers.split(answer.action_id[0])
            if numbers is None:
                message = f"chose action number {answer.action_id[0]}; this game has 0 to {self._numbers.count - 1}"
                raise PolicyFailure("protocol_error", message)
            checked.append((agent, answer, numbers, self._infos.decode(agent, answer.infos_json)))
        return checked

    def _check_budget(self, waiting: float) -> None:
        """Raise PolicyFailure if all answers together took too long, even when each was in time."""
        budget = self._seats.answer_budget_s
        if budget is not None and self._answer_seconds + waiting > budget:
            raise PolicyFailure("killed", f"took more than {budget:g} seconds for all its answers")

    def _charge(self, overage_ms: float, *, only_if_all: bool = False) -> None:
        """Charge an overage to the agents' budgets; with `only_if_all` only if it uses up all of them."""
        times, agents = self._seats.table.times, self._seats.agent_ids
        due = overage_ms - self._charged_ms
        left = [times.budget_left(agent) for agent in agents]
        if due <= 0 or (only_if_all and any(budget is None or budget > due for budget in left)):
            return
        self._charged_ms = overage_ms
        for agent in agents:
            times.charge(agent, due, self._step)

    # The wire

    def _flush(self) -> None:
        self._unsent += b"".join(self._wire.data_to_send())
        while self._unsent:
            try:
                sent = self._socket.send(self._unsent)
            except BlockingIOError:
                return
            except OSError:
                raise self._ended() from None
            self._unsent = self._unsent[sent:]

    def _receive(self) -> None:
        """Read the data that has arrived, up to the limit of one poll."""
        room = READ_BYTES_PER_POLL
        while room > 0:
            try:
                data = self._socket.recv(READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                raise self._ended() from None
            if not data:
                self._wire.receive_eof()
                self._handle_events()
                raise self._ended()
            room -= len(data)
            self._bytes += len(data)
            if self._bytes > 2 * self._max_bytes:
                raise PolicyFailure("protocol_error", "sent more than an answer can hold")
            self._wire.receive_data(data)
            self._handle_events()
            self._flush()  # answers to pings

    def _handle_events(self) -> None:
        for event in self._wire.events_received():
            if isinstance(event, Frame):
                self._frames += 1
                if self._frames > MAX_FRAMES:
                    raise PolicyFailure("protocol_error", "sent more frames than an answer needs")
                self._take_frame(event)
            else:
                self._take_handshake()
        problem = self._wire.parser_exc
        if isinstance(problem, PayloadTooBig):
            raise PolicyFailure("protocol_error", f"answered with more than {self._max_bytes} bytes")
        if problem is not None and not isinstance(problem, EOFError):
            raise PolicyFailure("protocol_error", "sent an invalid WebSocket frame")

    def _take_handshake(self) -> None:
        if isinstance(self._wire.handshake_exc, InvalidHandshake):
            raise PolicyFailure("protocol_error", "does not speak WebSocket")
        self._is_open = True
        self._wire.send_text(prepare_request_json(self._seats.interface, self._seats.agent_ids, self._seats.episode_id))
        self._flush()

    def _take_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.CLOSE:
            raise self._ended()
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        self._parts.append(bytes(frame.data))
        if not frame.fin:
            return
        data, self._parts = b"".join(self._parts), []
        if self._is_prepared:
            if self._is_text:
                raise PolicyFailure("protocol_error", "answered with text")
            self._take_answer(data)
        elif self._is_text:
            self._is_prepared = True
            self._frames = self._bytes = 0
            self._seats.timings.load_ms = 1000 * (time.perf_counter() - self._began)
        else:
            raise PolicyFailure("protocol_error", "answered before it was prepared")

    def _ended(self) -> PolicyFailure:
        """Return why there will be no more answers: why the process ended, or its close reason."""
        received = self._wire.close_rcvd  # the library's own code is set only once both sides have closed
        code, reason = (received.code, " ".join(received.reason.split())) if received is not None else (None, "")
        if self._process is not None:
            reason = self._process.hide(reason)
        if code == CloseCode.INTERNAL_ERROR and reason:
            return PolicyFailure("crashed", reason)
        if code == CLOSE_PROTOCOL_ERROR and reason:
            return PolicyFailure("protocol_error", reason)
        known = None if self._process is None else self._process.why_ended()
        if known is not None:
            return PolicyFailure(*known)
        if code is not None:
            return PolicyFailure("crashed", f"closed the connection with code {int(code)}{reason and ': '}{reason}")
        return PolicyFailure("killed", "its process closed the connection without giving a reason")
