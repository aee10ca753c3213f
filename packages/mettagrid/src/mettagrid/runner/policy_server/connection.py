"""The server side of the protocol: one WebSocket connection over a socket, from handshake to close."""

from __future__ import annotations

import logging
import socket

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.episode.errors import describe, not_an_action
from mettagrid.runner.policy_server.messages import CLOSE_PROTOCOL_ERROR
from mettagrid.runner.policy_server.output import print_failure, tell_if_longer
from mettagrid.runner.policy_server.service import LocalPolicyServer, UnknownActionError, WrongNumberError

__all__ = ["listening_socket", "serve_connection", "serve_socket"]

logger = logging.getLogger("mettagrid.runner.policy_server.server")

MAX_REQUEST_BYTES = 1 << 26
READ_BYTES = 1 << 16
GOODBYE_SECONDS = 2.0
# Seconds after which a stack dump goes to the log; both are a little less than the policy's time limits.
SLOW_STEP_SECONDS = 8.0
SLOW_LOAD_SECONDS = 75.0


def listening_socket(host: str, port: int, *, unix: str | None = None) -> socket.socket:
    """Return a listening socket, on a port or at a path."""
    if unix is None:
        return socket.create_server((host, port))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(unix)
    listener.listen(1)
    return listener


def serve_socket(service: LocalPolicyServer, given: socket.socket) -> int:
    """Serve the first client of a listening socket, or the client of a connected one; return an exit status."""
    if not given.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        return serve_connection(service, given)
    connection, _ = given.accept()
    with connection:
        return serve_connection(service, connection)


def serve_connection(service: LocalPolicyServer, connection: socket.socket) -> int:
    """Serve one client until it disconnects (0) or an error occurs (1)."""
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return _Connection(service, connection).run()


class _Connection:
    def __init__(self, service: LocalPolicyServer, connection: socket.socket) -> None:
        self._service = service
        self._socket = connection
        self._wire = ServerProtocol(max_size=MAX_REQUEST_BYTES, logger=logger)
        self._parts: list[bytes] = []
        self._is_text = False
        self._is_prepared = False
        self._status = 0

    def run(self) -> int:
        try:
            while self._wire.state is not State.CLOSED:
                data = self._socket.recv(READ_BYTES)
                if data:
                    self._wire.receive_data(data)
                else:
                    self._wire.receive_eof()
                for event in self._wire.events_received():
                    self._handle(event)
                self._flush()
                if self._wire.close_expected():
                    self._socket.settimeout(GOODBYE_SECONDS)
                if not data:
                    break
        except OSError as error:
            # The client disconnected, or did not complete the close handshake in time; there is nothing left to do.
            logger.info("The connection ended: %s", error)
        return self._status

    def _flush(self) -> None:
        for data in self._wire.data_to_send():
            if data:
                self._socket.sendall(data)
            else:
                self._socket.shutdown(socket.SHUT_WR)

    def _handle(self, event: object) -> None:
        if isinstance(event, Request):
            self._wire.send_response(self._wire.accept(event))
        elif isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            if event.opcode is not Opcode.CONT:
                self._is_text = event.opcode is Opcode.TEXT
            self._parts.append(bytes(event.data))
            if event.fin and self._wire.state is State.OPEN:
                message, self._parts = b"".join(self._parts), []
                self._answer(message)

    def _answer(self, message: bytes) -> None:
        try:
            if self._is_prepared and not self._is_text:
                request = policy_pb2.BatchStepRequest.FromString(message)
                with tell_if_longer(SLOW_STEP_SECONDS):
                    answer = self._service.batch_step(request)
                self._wire.send_binary(answer.SerializeToString())
            elif self._is_text:
                prepare = json_format.Parse(message, policy_pb2.PreparePolicyRequest(), ignore_unknown_fields=True)
                with tell_if_longer(SLOW_LOAD_SECONDS):
                    response = self._service.prepare_policy(prepare)
                self._wire.send_text(json_format.MessageToJson(response, indent=None).encode())
                self._is_prepared = True
            else:
                self._close(CloseCode.GOING_AWAY, "the first message must be text: a PreparePolicyRequest")
        except (DecodeError, json_format.ParseError) as error:
            self._close(CloseCode.GOING_AWAY, describe(error))
        except UnknownActionError as error:
            reason = str(error) if isinstance(error, WrongNumberError) else not_an_action(error.action, error.known)
            self._close(CLOSE_PROTOCOL_ERROR, reason)
        except (Exception, SystemExit) as error:
            print_failure(error)
            self._close(CloseCode.INTERNAL_ERROR, describe(error))

    def _close(self, code: int, reason: str) -> None:
        self._status = 1
        self._wire.send_close(code, reason)
