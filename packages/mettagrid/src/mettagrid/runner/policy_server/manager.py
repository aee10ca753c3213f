"""Start policy servers on this machine.

`start_policy_process` returns a connected socket; the episode runner uses it. `launch_local_policy_server` is the
published function, which starts a server on a port. Neither restricts the policy's code: see `mettagrid.runner.boxed`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from mettagrid.runner.episode.outcome import VerdictStatus

__all__ = ["LocalPolicyServerHandle", "launch_local_policy_server", "start_policy_process"]

SERVER = "mettagrid.runner.policy_server.server"
POLL_SECONDS = 0.02
END_SECONDS = 5.0
#: The environment variables that a policy's process inherits; all others may hold secrets.
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "METTAGRID_LOG_LEVEL")


def start_policy_process(
    policy_uri: str, *, env: Mapping[str, str] | None = None, log_path: Path | None = None
) -> tuple[socket.socket, LocalPolicyProcess]:
    """Start a policy server for one episode; return a socket connected to it, and its process.

    `env` are additional environment variables for this policy only; its output goes to `log_path`.
    """
    ours, theirs = socket.socketpair()
    try:
        with theirs, _log(log_path) as output:
            process = subprocess.Popen(
                [sys.executable, "-m", SERVER, "--policy", policy_uri, "--fd", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=policy_environment(env),
            )
    except BaseException:
        ours.close()
        raise
    return ours, LocalPolicyProcess(process, log_path)


def policy_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a policy's process: the inherited variables and its own."""
    inherited = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    # The iteration order of sets must be the same in every episode.
    return {**inherited, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0"), **(extra or {})}


class LocalPolicyProcess:
    """A plain process behind a served policy."""

    def __init__(self, process: subprocess.Popen[bytes], log_path: Path | None = None) -> None:
        self._process = process
        self._log_path = log_path

    def why_ended(self) -> tuple[VerdictStatus, str] | None:
        """Return how the process ended, if it has ended or is about to."""
        try:
            status = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return None
        return "killed", f"its process ended with {f'signal {-status}' if status < 0 else f'status {status}'}"

    def machine_fault(self) -> str | None:
        return None

    def hide(self, text: str) -> str:
        """Return the text unchanged, because the process is trusted."""
        return text

    def last_words(self) -> str:
        """Return the end of its output, if there is a log."""
        from mettagrid.runner.boxed.logs import Hidden, last_words

        _end(self._process)
        return "" if self._log_path is None else last_words(self._log_path, Hidden())

    def close(self) -> None:
        """Give the process a moment to exit by itself, since its connection is closed, then kill it."""
        _end(self._process)


@dataclass(kw_only=True)
class LocalPolicyServerHandle:
    """A policy server that listens on a port of this machine."""

    port: int
    process: subprocess.Popen[bytes]
    policy_uri: str
    _log_file: Path
    _ready_file_path: Path | None = None
    _venv_dir: Path | None = None

    @property
    def base_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def read_logs(self, max_bytes: int = 8192) -> str:
        """Return the end of its output."""
        return _tail(self._log_file, max_bytes)

    def shutdown(self) -> None:
        """End the server and remove its files."""
        self.process.terminate()
        _end(self.process)
        for path in (self._log_file, self._ready_file_path):
            if path is not None:
                path.unlink(missing_ok=True)


def launch_local_policy_server(
    policy_uri: str, *, startup_timeout: float = 300.0, extra_env: dict[str, str] | None = None
) -> LocalPolicyServerHandle:
    """Start a policy server on a free port and wait until it listens.

    Raises RuntimeError, with the end of its log, if it exits instead, and TimeoutError if it takes too long.
    """
    log_file = Path(tempfile.mkstemp(prefix="policy-server-", suffix=".log")[1])
    ready_file = log_file.with_suffix(".ready")
    with log_file.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", SERVER, "--policy", policy_uri, "--ready-file", str(ready_file)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=policy_environment(extra_env),
        )
    deadline = time.monotonic() + startup_timeout
    while not ready_file.exists():
        ended = process.poll() is not None
        if ended or time.monotonic() >= deadline:
            handle = LocalPolicyServerHandle(
                port=0, process=process, policy_uri=policy_uri, _log_file=log_file, _ready_file_path=ready_file
            )
            log = handle.read_logs()
            handle.shutdown()
            if ended:
                raise RuntimeError(f"The policy server for {policy_uri} ended before it listened:\n{log}")
            raise TimeoutError(f"The policy server for {policy_uri} did not listen within {startup_timeout} s:\n{log}")
        time.sleep(POLL_SECONDS)
    return LocalPolicyServerHandle(
        port=int(ready_file.read_text()),
        process=process,
        policy_uri=policy_uri,
        _log_file=log_file,
        _ready_file_path=ready_file,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _log(path: Path | None) -> BinaryIO:
    return open(os.devnull if path is None else path, "ab")


def _tail(path: Path, max_bytes: int) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - max_bytes))
        return file.read().decode(errors="replace")
