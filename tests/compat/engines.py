"""Two engines side by side: the oracle's scripts, a process per engine, and traces kept between runs."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from generator import Case

HERE = Path(__file__).resolve().parent
SECONDS_PER_CASE = 60


class OracleMissing(Exception):
    """The oracle's scripts were not found."""


def oracle_folder() -> Path:
    """Return the folder of trace_episode.py and compare_traces.py: $METTAGRID_ORACLE, or shared/oracle."""
    given = os.environ.get("METTAGRID_ORACLE")
    folder = Path(given) if given else HERE.parents[2] / "shared" / "oracle"
    if not (folder / "trace_episode.py").exists():
        raise OracleMissing(
            f"No trace_episode.py in {folder}\nhint: set METTAGRID_ORACLE to the folder with the oracle's scripts"
        )
    return folder.resolve()


def comparer() -> Any:
    """Return the oracle's compare_traces module."""
    spec = importlib.util.spec_from_file_location("compare_traces", oracle_folder() / "compare_traces.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Engine:
    """One engine in a process of its own, restarted when a case hangs."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        command = [self.python, str(HERE / "engine_server.py"), str(oracle_folder())]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        if self.answer(120) != "ready":
            self.stop()
            raise RuntimeError(f"{self.python} cannot import the engine\nhint: try `{' '.join(command)}`")

    def ask(self, folder: Path, name: str, out: Path) -> None:
        """Begin tracing a case."""
        if self.process is None:
            self.start()
        print(json.dumps([str(folder), name, str(out)]), file=self.process.stdin, flush=True)

    def wait(self, name: str, out: Path) -> str | None:
        """End tracing the case: None when there is a trace, else why there is none."""
        if self.answer(SECONDS_PER_CASE) != "done":
            self.stop()
            (out / f"{name}.err").write_text("out of time, or the server died")
        error = out / f"{name}.err"
        return error.read_text() if error.exists() else None

    def trace(self, folder: Path, name: str, out: Path) -> str | None:
        self.ask(folder, name, out)
        return self.wait(name, out)

    def answer(self, seconds: float) -> str:
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline().strip() if ready else ""

    def stop(self) -> None:
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


def write_case(case: Case, folder: Path, name: str) -> None:
    config, meta = case.texts()
    (folder / f"{name}.json").write_text(config)
    (folder / f"{name}.meta.json").write_text(meta)


def read_case(folder: Path, name: str) -> Case:
    config = json.loads((folder / f"{name}.json").read_text())
    return Case(config, json.loads((folder / f"{name}.meta.json").read_text()))


def last_line(error: str) -> str:
    lines = error.strip().splitlines()
    return lines[-1][:300] if lines else "no message"


class Cache:
    """Traces of the published engine by content: the case and the scripts that ran it."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            scripts = (oracle_folder() / "trace_episode.py", HERE / "engine_server.py")
            self.script = "\n".join(script.read_text() for script in scripts)

    def key(self, case: Case) -> str:
        return hashlib.sha256("\n".join([self.script, *case.texts()]).encode()).hexdigest()[:32]

    def fetch(self, case: Case, name: str, out: Path) -> bool:
        if self.folder is None:
            return False
        for suffix in (".npz", ".err"):
            cached = self.folder / (self.key(case) + suffix)
            if cached.exists():
                shutil.copy(cached, out / (name + suffix))
                return True
        return False

    def store(self, case: Case, name: str, out: Path) -> None:
        for suffix in (".npz", ".err"):
            output = out / (name + suffix)
            if self.folder and output.exists():
                handle, scratch = tempfile.mkstemp(dir=self.folder)  # renamed when whole: runs may share the folder
                os.close(handle)
                shutil.copy(output, scratch)
                os.replace(scratch, self.folder / (self.key(case) + suffix))
                return
