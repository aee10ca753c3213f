"""Measure what spectators of a match cost its worker: CPU seconds of whole episodes: not shown, not watched, watched.

usage: spectating.py [--turns 8] [--steps 2000] [--agents 8] [--watchers 5] [--record]

A server, a worker and the policies in their boxes are real. The three ways take turns on one machine, so that its load
falls on all of them. A turn is a match from the lease to the end of the job; its CPU time is that of the worker, of the
process that plays the episode, and of the policies. The time of the thread that sends rows is also measured by itself.
The server and the spectators are other processes.
"""

import argparse
import io
import logging
import multiprocessing
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from observatory.worker.client import HttpJobClient
from observatory.worker.live import LiveSender
from observatory.worker.loop import Worker
from record import record

ROOT = Path(__file__).resolve().parent.parent
WAYS = ("off", "unwatched", "watched")
SEASON = """
name: bench
display_name: Benchmark
summary: Matches of equal length
tournament_type: freeplay
is_default: true
freeplay:
  game: {{mission: arena, num_agents: {agents}, max_steps: {steps}}}
  qualifying_matches: 1000
  qualifying_threshold: -1000
  splits: [[{half}, {half}]]
  live: {live}
"""
POLICY = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Walker(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        return Action(name=("move_north", "move_east", "move_south", "move_west")[self.steps // 3 % 4])

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Walker(self._policy_env_info)
"""


class League:
    """A server in a process of its own, with one policy that has many matches to play."""

    def __init__(self, folder: Path, *, live: bool, agents: int, steps: int) -> None:
        own = {"OBSERVATORY_DATA_DIR": str(folder), "OBSERVATORY_SEED_SEASONS": "false"}
        line = [sys.executable, "-m", "observatory", "serve", "--port", "0", "--workers", "0"]
        log = (folder.parent / f"{folder.name}.log").open("w")
        self.process = subprocess.Popen(line, env=os.environ | own, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        output = "".join(self.process.stdout.readline() for _ in range(4))
        self.url = re.findall(r"http://[^ \n]+", output)[0].rstrip("/")
        headers = {"X-Auth-Token": re.findall(r"token: (\S+)", output)[0], "X-Use-Elevated-Privileges": "true"}
        self.http = httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)
        yaml = SEASON.format(agents=agents, half=agents // 2, steps=steps, live="on" if live else "off")
        self.call("/observatory/api/admin/seasons", {"yaml": yaml})
        self.worker_token = self.call("/admin/tokens", {"name": "bench"})["token"]
        place = self.call("/stats/policies/submit/presigned-url", None)
        data = _bundle()
        sent = self.http.put(place["upload_url"], content=data, headers={"Content-Type": "application/zip"})
        sent.raise_for_status()
        body = {"upload_id": place["upload_id"], "name": "walker", "season": "bench"}
        self.call("/stats/policies/submit/complete", body)

    def call(self, path: str, body: object) -> dict:
        answer = self.http.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def played(self) -> int:
        rows = self.http.get("/observatory/api/seasons/bench/matches", params={"status": "completed"})
        return rows.json()["total"]

    def close(self) -> None:
        self.http.close()
        self.process.terminate()
        self.process.wait(30)


def _bundle() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("policy_spec.json", '{"class_path": "my_policy.Mine"}')
        archive.writestr("my_policy.py", POLICY)
    return data.getvalue()


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def spectate(url: str, count: int, stop: object, received: object) -> None:
    """Watch whatever is played, with several sockets; runs in a process of its own."""

    def one() -> None:
        with httpx.Client(base_url=url, trust_env=False) as http:
            while not stop.is_set():
                running = http.get("/observatory/api/queue").json()["running"]
                matches = [row["match"]["id"] for row in running if row["is_live"]]
                if not matches:
                    time.sleep(0.1)
                    continue
                address = f"{url.replace('http', 'ws', 1)}/observatory/live/matches/{matches[0]}"
                with suppress(WebSocketException, OSError), connect(address, compression=None, proxy=None) as socket:
                    for message in socket:
                        if isinstance(message, bytes):
                            with received.get_lock():
                                received.value += len(message)

    threads = [threading.Thread(target=one, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    stop.wait()


def measure_senders(total: object) -> None:
    """Add the CPU time of each thread that sends rows to a number that processes share."""
    run = LiveSender._run

    def measured(self: LiveSender, feed: object) -> None:
        try:
            run(self, feed)  # type: ignore[arg-type]
        finally:
            with total.get_lock():
                total.value += time.thread_time()

    LiveSender._run = measured  # type: ignore[method-assign]


def play_match(league: League) -> float:
    """Let a worker play the next match; return its CPU seconds."""
    client = HttpJobClient(league.url, league.worker_token)
    worker = Worker(client, "bench", minimum="none")
    # The episode's process is a child of this one, so that its CPU time is counted with ours.
    worker._context = multiprocessing.get_context("fork")  # type: ignore[assignment]
    while not league.http.get("/observatory/api/queue").json()["queued_total"]:
        time.sleep(0.1)
    before = league.played()
    began = cpu_seconds()
    worker.run(once=True)
    used = cpu_seconds() - began
    client.close()
    assert league.played() == before + 1, "no match was played"
    return used


def ratio(values: list[float], base: list[float]) -> tuple[float, float, float]:
    """Return the ratio of medians and its 95 % interval, by resampling turns with a fixed seed."""
    numbers = random.Random(1)
    drawn = []
    for _ in range(4000):
        turns = [numbers.randrange(len(values)) for _ in values]
        middles = (statistics.median(side[turn] for turn in turns) for side in (values, base))
        drawn.append(next(middles) / next(middles))
    drawn.sort()
    return statistics.median(values) / statistics.median(base), drawn[100], drawn[-101]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--watchers", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="add a line to results/spectating.jsonl")
    options = parser.parse_args()
    logging.disable(logging.INFO)
    import observatory.worker.preload  # noqa: F401 - what episodes need, as in a worker

    used: dict[str, list[float]] = {way: [] for way in WAYS}
    sending: dict[str, float] = dict.fromkeys(WAYS, 0.0)
    own = multiprocessing.Value("d", 0.0)
    measure_senders(own)
    spawning = multiprocessing.get_context("spawn")
    received = spawning.Value("q", 0)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        leagues = {}
        for name in ("off", "on"):
            leagues[name] = League(Path(folder) / name, live=name == "on", agents=options.agents, steps=options.steps)
            stack.callback(leagues[name].close)
        for way in WAYS:  # once without counting
            play_match(leagues["off" if way == "off" else "on"])
        for turn in range(options.turns):
            for way in random.Random(turn).sample(WAYS, len(WAYS)):
                league = leagues["off" if way == "off" else "on"]
                stop = spawning.Event()
                arguments = (league.url, options.watchers, stop, received)
                spectators = spawning.Process(target=spectate, args=arguments) if way == "watched" else None
                if spectators is not None:
                    spectators.start()
                    time.sleep(1.5)
                own.value = 0.0
                used[way].append(play_match(league))
                sending[way] += own.value
                if spectators is not None:
                    stop.set()
                    spectators.join(10)
            print("  ".join(f"{way} {used[way][-1]:6.3f} s" for way in WAYS), flush=True)
    found: dict[str, object] = {
        "turns": options.turns,
        "steps": options.steps,
        "agents": options.agents,
        "watchers": options.watchers,
        "cpu_seconds": {way: round(statistics.median(used[way]), 4) for way in WAYS},
        "sender_part": {way: round(sending[way] / sum(used[way]), 4) for way in WAYS},
        "kilobytes_per_watched_match": round(received.value / 1000 / options.turns / options.watchers, 1),
    }
    for way in ("unwatched", "watched"):
        middle, low, high = ratio(used[way], used["off"])
        found[f"{way}_over_off"] = [round(value, 4) for value in (middle, low, high)]
        part = 100 * sending[way] / sum(used[way])
        more = [f"{100 * (value - 1):+.2f}" for value in (middle, low, high)]
        print(f"{way:9} sending takes {part:.2f} % of the CPU time; it all costs {more[0]} % ({more[1]} to {more[2]})")
    if options.record:
        print(record("spectating", " ".join(["spectating.py", *sys.argv[1:]]), found))


if __name__ == "__main__":
    main()
