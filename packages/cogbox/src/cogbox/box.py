"""One running box."""

import asyncio
import contextlib
import math
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from cogbox import _folders
from cogbox._guard import guard_path
from cogbox._job import Job
from cogbox._plan import Pairs, encode, framed
from cogbox.level import Level
from cogbox.verdict import Result, Verdict

# The guard's word -> verdict and detail.
_SENTENCES = {
    "ok": (Verdict.OK, "ended with exit code 0"),
    "exit": (Verdict.EXIT_CODE, "ended with exit code {exit_code}"),
    "signal": (Verdict.SIGNAL, "died by {signal_name}"),
    "memory": (Verdict.OUT_OF_MEMORY, "used more than {memory} bytes of memory"),
    "processes": (Verdict.TOO_MANY_PROCESSES, "wanted more than {processes} processes and threads"),
    "wall_time": (Verdict.TIME, "ran longer than {wall_seconds} s"),
    "cpu_time": (Verdict.TIME, "used more than {cpu_seconds} s of processor time"),
    "output": (Verdict.OUTPUT, "wrote more than {output_bytes} bytes of output"),
    "file_size": (Verdict.OUTPUT, "wrote a file of more than {file_bytes} bytes"),
    "disk": (Verdict.OUTPUT, "filled its folders with more than {disk_bytes} bytes or {disk_files} files"),
    "killed": (Verdict.KILLED, "was ended by its caller"),
    "vanished": (Verdict.SIGNAL, "lost the first process of its box"),
    "start_failure": (Verdict.START_FAILURE, "did not start"),
    "internal": (Verdict.INTERNAL_ERROR, "lost its guard, which kept its limits"),
}


class Box:
    """A program in a box, from its start to its result. Created by `Sandbox.start`.

        with sandbox.start(["python", "player.py"]) as box:
            ...
            result = box.wait()

    Leaving the `with` block ends all processes and removes the box's folder. The guard ends the box if the caller dies.
    """

    def __init__(
        self,
        job: Job,
        plan: Pairs,
        *,
        level: Level,
        channels: Sequence[socket.socket],
        theirs: Sequence[socket.socket],
        stdin: BinaryIO | None,
        collect: Sequence[str],
        keep_output: int | None,
        on_close: Callable[[], None],
    ) -> None:
        self.level = level
        self.work: Path = job.folder.work
        """the box's private folder as seen from outside"""
        self.channels = list(channels)
        """our ends of the program's inherited sockets, connected"""
        self.stdout_path: Path = job.folder.keep / "stdout"
        self.stderr_path: Path = job.folder.keep / "stderr"
        """logs, growing while the program runs, never beyond `Limits.output_bytes` together"""
        self.pid: int | None = None
        """pid of the box's first process as seen from outside, once it runs"""
        self._job, self._collect, self._on_close = job, collect, on_close
        self._keep_output = keep_output
        self._result: Result | None = None
        self._blame: tuple[Verdict, str] | None = None
        self._buffer = b""
        self._closed = False
        self._launch(plan, theirs, stdin)

    def _launch(self, plan: Pairs, theirs: Sequence[socket.socket], stdin: BinaryIO | None) -> None:
        message = framed(encode(plan))
        self._socket, guard_end = socket.socketpair()
        try:
            # A separate session: Ctrl-C reaches only the caller, which then ends the box in an orderly way.
            self._guard = subprocess.Popen(
                [str(guard_path()), "outer", str(guard_end.fileno())],
                pass_fds=[guard_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={"PATH": os.environ.get("PATH", os.defpath), **_engine_variables()},
            )
        except BaseException:
            self._socket.close()
            raise
        finally:
            guard_end.close()
        with (
            open(os.devnull, "rb") as nothing,
            open(self.stdout_path, "wb") as out,
            open(self.stderr_path, "wb") as err,
        ):
            fds = [(stdin or nothing).fileno(), out.fileno(), err.fileno(), *(end.fileno() for end in theirs)]
            # If the guard has already exited, waiting for the box reports it.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                sent = socket.send_fds(self._socket, [message], fds)
                self._socket.sendall(message[sent:])
        for end in theirs:
            end.close()
        self._socket.setblocking(False)

    # Waiting

    def wait(self, timeout: float | None = None) -> Result:
        """Block until all processes of the box have ended; raise `TimeoutError` after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while (result := self._pump()) is None:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"the box still runs after {timeout} s")
            self._wait_readable(left)
        return result

    def _wait_readable(self, seconds: float | None) -> None:
        # Not select(): it cannot handle the high descriptors of a caller with many open files.
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        poll.poll(None if seconds is None else max(0, math.ceil(seconds * 1000)))

    async def finished(self) -> Result:
        """Wait for the result in asyncio; see `wait`."""
        while (result := self._pump()) is None:
            loop = asyncio.get_running_loop()
            readable = asyncio.Event()
            loop.add_reader(self._socket.fileno(), readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(self._socket.fileno())
        return result

    def poll(self) -> Result | None:
        """Return the result if the box has ended, else None."""
        return self._pump()

    def wait_started(self) -> bool:
        """Block until the program runs (return True) or can no longer start (False)."""
        while self._pump() is None and self.pid is None:
            self._wait_readable(None)
        return self.pid is not None

    # Ending

    def end(self, verdict: Verdict = Verdict.KILLED, detail: str = "was ended by its caller") -> None:
        """End the whole process tree now. `verdict` and `detail` state the reason, such as a protocol error."""
        if self._result is None and self._blame is None:
            self._blame = verdict, detail
            self._say("end")

    def close(self) -> None:
        """End all processes and remove the box's folder. The result stays available."""
        if self._closed:
            return
        try:
            self.end()
            self.wait()
        finally:
            self._closed = True
            for channel in self.channels:
                channel.close()
            self._socket.close()
            self._guard.wait()
            self._on_close()

    def read(self, name: str, max_bytes: int = 64 << 20) -> bytes | None:
        """Read a plain file of at most `max_bytes` from the private folder; None otherwise. Follows no links."""
        return _folders.read_inside(self.work, name, max_bytes)

    def __enter__(self) -> "Box":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> "Box":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        await self.finished()
        self.close()

    # The guard's messages

    def _say(self, word: str) -> None:
        with contextlib.suppress(OSError):  # if the guard has exited, so has the box
            self._socket.send(framed(word.encode()))

    def _pump(self) -> Result | None:
        while self._result is None:
            try:
                block = self._socket.recv(65536)
            except BlockingIOError:
                return None
            except ConnectionResetError:
                block = b""
            if not block:
                self._guard.wait()
                self._result = self._conclude({"verdict": "internal"})
                break
            self._buffer += block
            while len(self._buffer) >= 4:
                length = struct.unpack_from("<I", self._buffer)[0]
                if len(self._buffer) < 4 + length:
                    break
                self._hear(self._buffer[4 : 4 + length].decode(errors="replace"))
                self._buffer = self._buffer[4 + length :]
        return self._result

    def _hear(self, message: str) -> None:
        words = message.split("\n")
        if words[0].startswith("started "):
            self.pid = int(words[0].split()[1])
        elif words[0] == "result":
            if self.level is not Level.CONTAINER:  # an engine cleans up long after the program has ended; `close` waits
                self._guard.wait()  # it removes the box's control groups last
            self._result = self._conclude(dict(zip(words[1::2], words[2::2], strict=False)))

    def _conclude(self, reply: dict[str, str]) -> Result:
        status = int(reply.get("status", 0))
        exited = reply["verdict"] in ("ok", "exit")
        died = reply["verdict"] in ("signal", "file_size") and os.WIFSIGNALED(status)
        exit_code = os.waitstatus_to_exitcode(status) if exited else None
        number = os.WTERMSIG(status) if died else None
        verdict, sentence = _SENTENCES[reply["verdict"]]
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        detail = sentence.format(exit_code=exit_code, signal_name=name, **vars(self._job.limits))
        if reply.get("detail"):
            detail += f": {reply['detail']}"
        if self._blame and verdict is Verdict.KILLED:
            verdict, detail = self._blame
        return Result(
            verdict=verdict,
            detail=detail,
            level=self.level,
            limited_by=self._job.groups.name,
            exit_code=exit_code,
            signal=number,
            wall_seconds=int(reply.get("wall_us", 0)) / 1e6,
            cpu_seconds=int(reply.get("cpu_us", 0)) / 1e6,
            peak_memory=max(0, int(reply.get("peak_memory", 0))),
            output_bytes=int(reply.get("output", 0)),
            stdout=_end_of(self.stdout_path, self._keep_output),
            stderr=_end_of(self.stderr_path, self._keep_output),
            files={name: data for name in self._collect if (data := self.read(name)) is not None},
        )


def _end_of(path: Path, max_bytes: int | None) -> bytes:
    if max_bytes is None:
        return path.read_bytes()
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - max_bytes))
        return file.read(max_bytes)


def _engine_variables() -> dict[str, str]:
    """Return the variables that a container engine needs from the caller; the program does not receive them."""
    names = (
        "HOME",
        "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "DBUS_SESSION_BUS_ADDRESS",
        "DOCKER_HOST",
        "DOCKER_CONTEXT",
        "DOCKER_CONFIG",
        "CONTAINER_HOST",
        "CONTAINERS_CONF",
        "CONTAINERS_STORAGE_CONF",
    )
    return {name: os.environ[name] for name in names if name in os.environ}
