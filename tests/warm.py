"""Run commands without importing their program each time: a process that has imported it forks one for each command.

A forked command has its own arguments, environment, folder, output and exit status, as one that a shell starts. What
depends on the start itself, on a terminal or on signals is tested with the real program.

usage: python -m tests.warm SOCKET PROGRAM [MODULE ...]     SOCKET: descriptor of the socket for commands
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

__all__ = ["WarmProgram"]

ROOT = Path(__file__).resolve().parent.parent
MESSAGE_BYTES = 1 << 20


class WarmProgram:
    """`python -m PROGRAM` for many commands, one at a time; `modules` are imported before the first. A context manager.

    `run` takes and returns the same as `subprocess.run` with `capture_output` and `text`.
    """

    def __init__(self, program: str, *modules: str) -> None:
        self._program, self._modules = program, modules

    def __enter__(self) -> Self:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = str(theirs.fileno())
        command = [sys.executable, "-m", "tests.warm", number, self._program, *self._modules]
        with theirs:
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait()

    def run(
        self,
        *words: object,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        arguments = [str(word) for word in words]
        environment = dict(os.environ if env is None else env)
        command = {"arguments": arguments, "env": environment, "cwd": str(cwd or Path.cwd())}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            self._socket.settimeout(timeout)
            socket.send_fds(self._socket, [json.dumps(command).encode()], [out.fileno(), err.fileno()])
            status = int(self._socket.recv(MESSAGE_BYTES) or b"-1")
            texts = [os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode() for file in (out, err)]
        line = [sys.executable, "-m", self._program, *arguments]
        return subprocess.CompletedProcess(line, status, *texts)


def _next_command(commands: socket.socket) -> dict[str, Any]:
    """Fork for each command; return it in the new process. The first process ends with the socket."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(commands, MESSAGE_BYTES, 2)
        if not message:
            os._exit(0)
        assert threading.active_count() == 1, "a forked process would lack these threads"
        process = os.fork()
        if process == 0:
            commands.close()
            for number, descriptor in enumerate(descriptors, start=1):
                os.dup2(descriptor, number)
                os.close(descriptor)
            command: dict[str, Any] = json.loads(message)
            return command
        for descriptor in descriptors:
            os.close(descriptor)
        commands.send(str(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])).encode())


def main() -> None:
    number, program, *modules = sys.argv[1:]
    gc.disable()  # imported modules never become garbage
    for module in modules:
        importlib.import_module(module)
    gc.enable()
    gc.freeze()  # forked processes share this memory as long as they do not write to it
    command = _next_command(socket.socket(fileno=int(number)))
    os.environ.clear()
    os.environ.update(command["env"])
    os.chdir(command["cwd"])
    sys.argv[1:] = command["arguments"]
    sys.path[0] = command["cwd"]
    _run(program)


def _run(program: str) -> NoReturn:
    """Run the program as `python -m` does and end the process; freeing all its memory would take a second."""
    status: object = 0
    try:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for other threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(int(status))


if __name__ == "__main__":
    main()
