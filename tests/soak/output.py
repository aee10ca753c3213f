"""What policies send and print, in the amounts that once stopped a worker or filled a disk.

usage: output.py [--matches N] [--megabytes N]

  infos   five steps with four seats of 4,000 infos each: the processor time of the playing process, and the verdict
  memory  200 steps of 60 kB of infos for each of four seats: the memory of the playing process against 20 steps
  logs    66 matches of a policy that prints 98 MB, through a server and its worker: the bytes that stay

The last lines are the measured figures; exit status 1 when one is beyond its bound.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attacks import running_server

SECONDS, GROWTH, STORED = 1.0, 20 << 20, 200 << 20
LONGEST_SECONDS = 1800

POLICY = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Policy(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", **kwargs):
        super().__init__(policy_env_info, device=device)
        {start}
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)

class Agent(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        {step}
        return Action(name="noop")
"""
QUIET = {"start": "pass", "step": "pass"}
MANY = {"start": "pass", "step": 'self._infos = {f"k{n}": n for n in range(4000)}'}
LARGE = {"start": "pass", "step": 'self._infos = {"long": "x" * 59_000 + str(self.steps)}'}


def bundle(start: str, step: str) -> bytes:
    """A policy that does this when it is made, and this in each step."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("policy_spec.json", json.dumps({"class_path": "my_policy.Policy"}))
        archive.writestr("my_policy.py", POLICY.replace("{start}", start).replace("{step}", step))
    return data.getvalue()


def game(steps: int) -> dict[str, Any]:
    from mettagrid.config.mettagrid_config import MettaGridConfig

    env = MettaGridConfig.EmptyRoom(num_agents=4, width=8, height=8)
    env.game.max_steps = steps
    document: dict[str, Any] = env.model_dump(mode="json")
    return document


def play(source: dict[str, str], steps: int) -> dict[str, Any]:
    """Play an episode as a worker's child does: its processor seconds and most bytes of memory, and the error."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["observatory.worker.preload"])
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory(prefix="soak-output-") as folder:
        child = context.Process(target=_play, args=(theirs, folder, source, steps))
        child.start()
        usage: dict[str, Any] = ours.recv()
        child.join()
    return usage


def _play(results: Any, folder: str, source: dict[str, str], steps: int) -> None:
    from mettagrid.runner.boxed.job import PolicyToPlay, play_job

    path = Path(folder) / "policy.zip"
    path.write_bytes(bundle(**source))
    spec = {"policy_uris": [path.as_uri()], "assignments": [0] * 4, "env": game(steps), "seed": 1}
    before = resource.getrusage(resource.RUSAGE_SELF)
    error = play_job(Path(folder), spec, [PolicyToPlay("mine", path.as_uri())])
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    results.send({"seconds": spent, "memory": after.ru_maxrss << 10, "error": error and error.message})


def infos() -> tuple[bool, str]:
    quiet, many = play(QUIET, 5), play(MANY, 5)
    good = many["seconds"] < SECONDS and "infos" in (many["error"] or "")
    return good, (
        f"five steps with four seats of 4,000 infos: {many['seconds']:.2f} s of the worker's processor "
        f"({quiet['seconds']:.2f} s without infos); verdict: {many['error']}"
    )


def memory() -> tuple[bool, str]:
    short, long, quiet = play(LARGE, 20), play(LARGE, 200), play(QUIET, 200)
    growth = long["memory"] - short["memory"]
    good = growth < GROWTH and long["error"] is None
    sizes = [f"{usage['memory'] >> 20} MB" for usage in (long, short, quiet)]
    return good, (
        f"60 kB of infos for four seats: {sizes[0]} after 200 steps, {sizes[1]} after 20, {sizes[2]} after 200 without "
        f"infos; {long['seconds']:.1f} s of processor; error: {long['error']}"
    )


class Server:
    """The calls of an administrator."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Auth-Token": self.token, "X-Use-Elevated-Privileges": "true", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def upload(self, content: bytes) -> str:
        """Make a policy version of a bundle; its id."""
        place = self.call("POST", "/stats/policies/submit/presigned-url")
        headers = {"Content-Type": "application/zip"}
        urllib.request.urlopen(urllib.request.Request(place["upload_url"], content, headers, method="PUT")).close()
        body = {"upload_id": place["upload_id"], "name": "loud"}
        return str(self.call("POST", "/stats/policies/submit/complete", body)["id"])


def administrator(folder: Path) -> str:
    """A token for the server of a folder."""
    command = [sys.executable, "-m", "observatory", "admin", "token", "create", "soak", "--user", "admin@localhost"]
    own = {"OBSERVATORY_DATA_DIR": str(folder / "data")}
    return subprocess.run(command, env=os.environ | own, check=True, capture_output=True, text=True).stdout.strip()


@contextlib.contextmanager
def workers(url: str, token: str, folder: Path, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    file = folder / "worker.token"
    file.write_text(token)
    command = [sys.executable, "-m", "observatory", "worker", "--server", url, "--token-file", str(file)]
    with (folder / "worker.log").open("w") as log:
        started = [subprocess.Popen(command, stdout=log, stderr=log) for _ in range(count)]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


def logs(matches: int, megabytes: int) -> tuple[bool, str]:
    loud = {**QUIET, "start": f'[print("x" * 999_999) for _ in range({megabytes})]'}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak-logs-") as name, running_server(Path(name)) as url:
        folder = Path(name)
        server = Server(url, administrator(folder))
        version = server.upload(bundle(**loud))
        spec = {"policy_uris": [f"metta://policy/{version}"], "assignments": [0] * 4, "env": game(5)}
        server.call("POST", "/jobs/batch", [{"job": {**spec, "seed": seed}} for seed in range(matches)])
        token = server.call("POST", "/admin/tokens", {"name": "worker"})["token"]
        with workers(url, token, folder, max(1, (os.cpu_count() or 1) // 2)) as processes:
            while counts(server).get("completed", 0) + counts(server).get("failed", 0) < matches:
                alive = all(process.poll() is None for process in processes)
                if not alive or time.monotonic() > began + LONGEST_SECONDS:
                    return False, f"the matches were not over: {counts(server)}\n{(folder / 'worker.log').read_text()}"
                time.sleep(1)
        done = counts(server)
        files = [path.stat().st_size for path in (folder / "data").rglob("*") if path.is_file()]
        largest = max(path.stat().st_size for path in (folder / "data").rglob("policy_agent_*.txt"))
    stored = sum(files)
    good = stored < STORED and done == {"completed": matches} and largest < 1_100_000
    return good, (
        f"{matches} matches of a policy that prints {megabytes} MB ({done}): {stored / 1e6:.1f} MB stay in the data "
        f"folder, the largest log has {largest:,} bytes; {time.monotonic() - began:.0f} s"
    )


def counts(server: Server) -> dict[str, int]:
    """How many jobs there are in each state."""
    totals: dict[str, int] = {}
    for job in server.call("GET", "/jobs?limit=1000"):
        totals[job["status"]] = totals.get(job["status"], 0) + 1
    return totals


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=66, help="matches of the policy that prints (66)")
    parser.add_argument("--megabytes", type=int, default=98, help="how much it prints in each (98)")
    parser.add_argument("--only", choices=["infos", "memory", "logs"])
    args = parser.parse_args()
    cases: dict[str, Callable[[], tuple[bool, str]]] = {
        "infos": infos,
        "memory": memory,
        "logs": lambda: logs(args.matches, args.megabytes),
    }
    results = []
    for name, case in cases.items():
        if args.only in (None, name):
            good, line = case()
            results.append(good)
            print(f"{'passed' if good else 'FAILED'} {line}", flush=True)
    return all(results)


if __name__ == "__main__":
    sys.exit(not main())
