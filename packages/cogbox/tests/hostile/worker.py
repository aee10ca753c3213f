"""Runs hostile programs at one level, a line of JSON for each: worker.py LEVEL [--alone] [--threads N] [NAME...]

Started by `test_hostile.py`, once per level and user. `--alone`: no other process has this user, so whatever is left of
it is a box's.
"""

import argparse
import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from corpus import CASES, Case
from world import USERS, World, control_groups, engine_mounts, mounts, processes_of, things_of

from cogbox import Box, Egress, Level, Link, Mount, Result, Sandbox, Verdict
from cogbox.selftest import proof

LINK_PORT = 7001
LINE_BYTES = 1 << 16


class Arrangement:
    """What a case is given beside its program, and what is looked at while it runs and afterwards."""

    def __init__(self, world: World, sandbox: Sandbox) -> None:
        self.world, self.sandbox = world, sandbox
        self.options: dict[str, object] = {}
        self.targets: dict[str, object] = {}

    def during(self, box: Box) -> list[str]:
        return []

    def after(self, result: Result) -> list[str]:
        return []

    def close(self) -> None:
        pass


class Junk(Arrangement):
    def after(self, result: Result) -> list[str]:
        wanted = bytes(range(256)) * 16 + b"\x1b]0;owned\x07\x1b[2J\xff\xfe\x00"
        return (
            []
            if (result.stdout, result.stderr) == (wanted, b"\x00\xff" * 100)
            else ["the logs differ from what was written"]
        )


class Stdin(Arrangement):
    def __init__(self, world: World, sandbox: Sandbox) -> None:
        super().__init__(world, sandbox)
        self._path = world.outside.parent / f"input-{secrets.token_hex(4)}"
        self._path.write_text("input")
        self._path.chmod(0o666)
        self._file = self._path.open("rb")
        self.options["stdin"] = self._file

    def after(self, result: Result) -> list[str]:
        same = self._path.read_text() == "input" and self._path.stat().st_mode & 0o777 == 0o666
        return ([] if same else ["the caller's input was changed"]) + (
            [] if b"input" in result.stdout else ["no input came"]
        )

    def close(self) -> None:
        self._file.close()
        self._path.unlink()


class LinkedTo(Arrangement):
    """A link to a server that answers `pong` to whatever it hears."""

    def __init__(self, world: World, sandbox: Sandbox) -> None:
        super().__init__(world, sandbox)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()
        self.options["links"] = [Link(LINK_PORT, self._server.getsockname()[:2])]
        self.targets["link_port"] = LINK_PORT

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                end, _ = self._server.accept()
                self._ends.append(end)
                threading.Thread(target=self._answer, args=(end,), daemon=True).start()

    @staticmethod
    def _answer(end: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while end.recv(65536):
                end.sendall(b"pong")

    def after(self, result: Result) -> list[str]:
        return [] if self._ends or not result.ok else ["the link did not lead to its target"]

    def close(self) -> None:
        self._server.close()
        for end in self._ends:
            end.close()


class Granted(Arrangement):
    """Egress to one local server. Its log must name what was refused, and stay small."""

    def __init__(self, world: World, sandbox: Sandbox) -> None:
        super().__init__(world, sandbox)

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "4")
                self.end_headers()
                self.wfile.write(b"page")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self._port = self._server.server_address[1]
        self._log = world.outside.parent / f"egress-{secrets.token_hex(4)}.jsonl"
        self.options["egress"] = Egress([f"127.0.0.1:{self._port}"], log=self._log)
        self.targets["granted"] = self._port

    def after(self, result: Result) -> list[str]:
        problems = []
        if (size := self._log.stat().st_size) > 4 << 20:
            problems.append(f"the egress log has grown to {size >> 20} MiB")
        if b"granted" in result.stdout:
            lines = [json.loads(line) for line in self._log.read_text().splitlines()]
            seen = {(line["host"], line["port"]): line["outcome"] for line in lines}
            if b"page" not in result.stdout or seen.get(("127.0.0.1", self._port)) != "done":
                problems.append("the granted host was not reached, or not logged")
            bad = self.world.targets()["tcp"]
            if not seen.get(("127.0.0.1", bad), "").startswith("refused"):
                problems.append("a refused host was not logged as refused")
        return problems

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._log.unlink(missing_ok=True)


class Channel(Arrangement):
    """A supervisor of a small protocol: lines `hello`, then `bye`; anything else breaks it."""

    def __init__(self, world: World, sandbox: Sandbox) -> None:
        super().__init__(world, sandbox)
        self.options["channels"] = 1

    def during(self, box: Box) -> list[str]:
        before = len(os.listdir("/proc/self/fd"))
        data = b""
        while True:
            block = box.channels[0].recv(4096)
            data += block
            *lines, rest = data.split(b"\n")
            if b"bye" in lines:
                break
            if not block:
                box.end(Verdict.PROTOCOL, "closed its channel before it said `bye`")
                break
            if len(rest) > LINE_BYTES:
                box.end(Verdict.PROTOCOL, f"sent a line of more than {LINE_BYTES} bytes")
                break
            if any(line != b"hello" for line in lines):
                box.end(Verdict.PROTOCOL, f"said {lines[0]!r}")
                break
        after = len(os.listdir("/proc/self/fd"))
        return [f"{after - before} descriptors came over the channel"] if after > before + 200 else []


class Port(Arrangement):
    """Whether a port the program opens can be reached from outside."""

    def __init__(self, world: World, sandbox: Sandbox) -> None:
        super().__init__(world, sandbox)
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.targets["free"] = server.getsockname()[1]

    def during(self, box: Box) -> list[str]:
        wait_for(box, b"listening")
        try:
            socket.create_connection(("127.0.0.1", int(str(self.targets["free"]))), timeout=1).close()
        except OSError:
            return []
        return ["a port of the box was reached from outside"]


class Neighbour(Arrangement):
    """A second box of the same kind that runs beside."""

    def __init__(self, world: World, sandbox: Sandbox) -> None:
        super().__init__(world, sandbox)
        self._secret = secrets.token_hex(16)
        self._box = sandbox.start(
            command(self.sandbox, world, "neighbour_victim"),
            env={"NEIGHBOUR_SECRET": self._secret},
            mounts=[Mount(world.bundle)],
            python=uses_own_python(sandbox),
        )
        self._box.wait_started()
        wait_for(self._box, b"ready")
        self.targets |= {"neighbour_folder": str(self._box.work), "neighbour_pid": self._box.pid}

    def after(self, result: Result) -> list[str]:
        problems = [] if self._box.poll() is None else ["the neighbour was ended"]
        if b"signalled" in self._box.stdout_path.read_bytes():
            problems.append("the neighbour was signalled")
        if (self._box.work / "owned").exists():
            problems.append("the neighbour's folder was written")
        if self._secret.encode() in result.stdout + result.stderr:
            problems.append("the neighbour's secret was read")
        return problems

    def close(self) -> None:
        self._box.close()


ARRANGEMENTS = {
    "": Arrangement,
    "junk": Junk,
    "stdin": Stdin,
    "link": LinkedTo,
    "egress": Granted,
    "channel": Channel,
    "port": Port,
    "neighbour": Neighbour,
}


def wait_for(box: Box, word: bytes) -> None:
    while word not in box.stdout_path.read_bytes():
        if (result := box.poll()) is not None:
            raise RuntimeError(f"the box {result.detail} before it said {word!r}: {result.stderr[-500:]!r}")
        time.sleep(0.002)


def uses_own_python(sandbox: Sandbox) -> bool:
    """At `landlock` a box of root's cannot enter an interpreter's folder in root's home: the machine's is taken."""
    return not (sandbox.level is Level.LANDLOCK and os.geteuid() == 0)


def command(sandbox: Sandbox, world: World, name: str) -> list[str]:
    if (shell := world.bundle / f"{name}.sh").exists():
        return ["sh", str(shell)]
    python = sys.executable if uses_own_python(sandbox) else "/usr/bin/python3"
    return [python, "-S", "-E", "-B", str(world.bundle / f"{name}.py")]


class Leftovers:
    """What a box could leave, looked for after its end."""

    def __init__(self, box: Box, alone: bool) -> None:
        self._folder = box.work.parent
        self._uid = box.work.stat().st_uid
        self._root = os.geteuid() == 0
        self._alone = alone
        self._level = box.level
        self._things = set(things_of(self._uid))

    def beside(self, box: Box) -> list[str]:
        """While its folder is still there: nothing may lie beside the private one."""
        more = set(os.listdir(self._folder)) - {"work", "tmp", "keep"}
        return [f"made {self._folder / name}" for name in more] + ([] if box.work.is_dir() else ["replaced its folder"])

    def found(self, known: set[int]) -> list[str]:
        problems = []
        if self._folder.exists():
            problems.append(f"left its folder {self._folder}")
        if self._root or self._alone:
            for pid in processes_of(self._uid) - known:
                with contextlib.suppress(OSError):
                    problems.append(f"left process {pid}: {Path(f'/proc/{pid}/stat').read_text()[:80]}")
        if self._root and (USERS / str(self._uid)).exists():
            problems.append(f"left the lock of user {self._uid}")
        problems += [f"left {thing}" for thing in set(things_of(self._uid)) - self._things]
        if self._level is Level.CONTAINER:
            asked = [engine(), "container", "inspect", f"cogbox-{self._folder.name}"]
            if subprocess.run(asked, capture_output=True).returncode == 0:
                problems.append("left its container")
        return problems


def outcome(name: str, case: Case, world: World, sandbox: Sandbox, alone: bool) -> dict[str, Any]:
    began = time.monotonic()
    problems: list[str] = []
    known = {os.getpid(), os.getppid(), world.victim.pid}
    with contextlib.ExitStack() as undo:
        arrangement = ARRANGEMENTS[case.arrange](world, sandbox)
        undo.callback(arrangement.close)
        targets = {**world.targets(), "groups": control_groups(), **arrangement.targets}
        box = sandbox.start(
            command(sandbox, world, name),
            env={"TARGETS": json.dumps(targets)},
            mounts=[Mount(world.bundle)],
            limits=case.limits,
            collect=list(case.collect),
            python=uses_own_python(sandbox),
            **arrangement.options,  # type: ignore[arg-type]
        )
        undo.callback(box.close)
        leftovers = Leftovers(box, alone)
        problems += arrangement.during(box)
        result = box.wait(60)
        problems += arrangement.after(result)
        problems += leftovers.beside(box)
    box.close()
    metered = "cgroup" in result.limited_by
    wanted = case.verdicts(sandbox.level, metered)
    if result.verdict not in wanted:
        problems.append(f"verdict {result.verdict} instead of {' or '.join(wanted)}")
    if result.verdict is Verdict.OK and case.says not in result.stdout:
        problems.append(f"did not say {case.says!r}")
    shown = result.stdout + result.stderr + b"".join(result.files.values())
    if result.verdict in (Verdict.OK, Verdict.SIGNAL, Verdict.EXIT_CODE):  # a limit that ends it afterwards is in time
        problems += [line.decode(errors="replace") for line in shown.splitlines() if line.startswith(b"ESCAPED")]
    if world.secret.encode() in shown:
        problems.append("the secret outside was read")
    for file, content in case.collect.items():
        if result.files.get(file) != content:
            problems.append(f"collected {file!r}: {str(result.files.get(file))[:60]}")
    if len(result.stdout) + len(result.stderr) > case.limits.output_bytes:
        problems.append("more output was kept than is allowed")
    if result.level is not sandbox.level:
        problems.append(f"the result says level {result.level}")
    problems += world.damage() + leftovers.found(known)
    return {
        "name": name,
        "problems": problems,
        "verdict": result.verdict.value,
        "detail": result.detail,
        "limited_by": result.limited_by,
        "seconds": round(time.monotonic() - began, 2),
        "peak_memory": result.peak_memory,
        "stdout": result.stdout[-3000:].decode(errors="replace"),
        "stderr": result.stderr[-1500:].decode(errors="replace"),
    }


def engine() -> str:
    return str(shutil.which("podman") or shutil.which("docker"))


def containers() -> list[str]:
    """Return the engine's leftovers of this process's boxes: containers, and mounts of removed containers."""
    mounted = engine_mounts()
    words = [engine(), "ps", "--all", "--no-trunc", "--format", "{{.ID}} {{.Names}}"]
    known = dict(
        line.split() for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    )
    left = [f"left container {name}" for name in known.values() if name.startswith(f"cogbox-{os.getpid()}-")]
    # Other processes start and remove containers meanwhile: only a mount that lasts is left.
    lasting = (mounted - set(known)) & engine_mounts()
    return left + [f"left a mount of container {container}" for container in lasting]


def run(names: list[str], level: Level, *, alone: bool, threads: int) -> Iterator[dict[str, Any]]:
    sandbox = Sandbox(level)
    with tempfile.TemporaryDirectory(prefix="world-") as folder:
        os.chmod(folder, 0o755)
        world = World(Path(folder))
        before = mounts()

        def left() -> list[str]:
            found = [f"left control group {group}" for group in control_groups()]
            return found + [f"left mount {line}" for line in mounts() - before]

        def one(name: str) -> dict[str, Any]:
            try:
                told = outcome(name, CASES[name], world, sandbox, alone)
                # With several at once the others' are still there; then the last look counts.
                return {**told, "problems": told["problems"] + (left() if threads == 1 else [])}
            except Exception as error:
                return {"name": name, "problems": [f"the worker failed: {type(error).__name__}: {error}"]}

        try:
            with ThreadPoolExecutor(threads) as pool:
                yield from pool.map(one, names)
        finally:
            world.close()
        yield {"name": "", "problems": left() + (containers() if level is Level.CONTAINER else [])}


def missing(level: Level) -> str:
    """Return why the level is not available; unproved levels are not attacked on a user's machine."""
    if level is Level.LANDLOCK and os.geteuid() == 0:
        # Its self-test would run this interpreter, which the user of a box may be unable to reach.
        return "" if os.path.exists("/usr/bin/python3") else "there is no /usr/bin/python3"
    return proof(level).reason


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("level")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_intermixed_args()
    level = Level.named(options.level)
    names = options.names or [name for name, case in CASES.items() if level not in case.left_out]
    if reason := missing(level):
        print(json.dumps({"missing": reason}))
        return
    for told in run(names, level, alone=options.alone, threads=options.threads):
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
