"""A worker that plays no games: results follow from the job by a formula. It speaks to the server as real ones do.

usage: python -m packages.observatory.tests.commissioner.scripted SERVER TOKEN_FILE NAME PROGRESS_FILE
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from observatory.jobs.schemas import ErrorInfo, Lease
from observatory.worker.client import HttpJobClient, LeaseLost, ServerAway

CRASHES = "crash"
"""a policy with this in its name fails in every match"""


def play(spec: dict[str, Any]) -> tuple[dict[str, Any], ErrorInfo | None]:
    """(the results of a job, who is to blame): the same for the same policies, seats, map and seed."""
    names, seats = spec["policy_names"], spec["assignments"]
    map_seed = spec["env"]["game"].get("map_builder", {}).get("seed")
    rewards = [_reward(names[seat], agent, spec["seed"], map_seed) for agent, seat in enumerate(seats)]
    result = {
        "rewards": rewards,
        "action_timeouts": [0 for _ in seats],
        "stats": {"game": {}, "agent": [{} for _ in seats]},
        "steps": 10,
    }
    for index, name in enumerate(names):
        if CRASHES in name:
            return result, ErrorInfo(error_type="policy_error", message=f"{name} broke", failed_policy_index=index)
    return result, None


def play_match(spec: dict[str, Any]) -> tuple[dict[str, Any], ErrorInfo | None]:
    """(the files of a match, who is to blame)."""
    result, error = play(spec)
    return {"results.json": result, "replay.json.z": [spec["seed"], result["rewards"]]}, error


def play_coworld(spec: dict[str, Any]) -> tuple[dict[str, Any], ErrorInfo | None]:
    """(the files of an episode on request, who is to blame); every Coworld is certified."""
    if spec.get("kind") == "certification":
        return {"results.json": {"certified": True, "contract_version": "coworld-executable/1", "steps": []}}, None
    is_of_round = spec["episode_tags"]["source"] == "round"  # then the episode's id is not known before
    scores = coworld_scores("0000" if is_of_round else spec["episode_request_id"], spec["policy_names"])
    for index, name in enumerate(spec["policy_names"]):
        if CRASHES in name:
            return {}, ErrorInfo(error_type="player_error", message=f"{name} broke", failed_policy_index=index)
    return {"results.json": {"scores": scores}, "replay": scores, "policy_agent_0.log": "hello"}, None


def coworld_scores(episode: str, names: list[str]) -> list[float]:
    """Return the scores that follow from an episode and its policies."""
    return [_reward(name, seat, 0, None) + int(episode[-4:], 16) for seat, name in enumerate(names)]


def _reward(name: str, agent: int, seed: int, map_seed: int | None) -> float:
    """Score by a known skill plus luck that depends on the game."""
    luck = hashlib.sha256(f"{name}/{agent}/{seed}/{map_seed}".encode()).digest()
    return sum(name.encode()) % 7 / 10 + luck[0] / 256


def work(client: HttpJobClient, lease: Lease, folder: Path) -> None:
    """One job, from its lease to its end."""
    client.heartbeat(lease, "running")
    files, error = play_coworld(lease.spec) if lease.spec.get("game_engine") == "coworld" else play_match(lease.spec)
    for name, document in files.items():
        (folder / name).write_text(json.dumps(document))
        client.upload(lease, name, folder / name)
    for _ in range(2):  # saying it again changes nothing
        client.finish(lease, "failed" if error else "completed", error)


def run(server: str, token: str, name: str, *, stopping: Callable[[], bool], done: Callable[[], None]) -> None:
    """Run until stopped; wait for a server that is down, as a real worker does."""
    client = HttpJobClient(server, token)
    with tempfile.TemporaryDirectory() as folder:
        while not stopping():
            try:
                lease = client.lease(name, wait_seconds=0.5)
                if lease is not None:
                    work(client, lease, Path(folder))
                    done()
            except (LeaseLost, ServerAway):
                time.sleep(0.05)
    client.close()


def main() -> None:
    server, token_file, name, progress = sys.argv[1:]
    token = Path(token_file).read_text().strip()
    with Path(progress).open("a") as file:

        def done() -> None:
            file.write("x")
            file.flush()

        run(server, token, name, stopping=lambda: False, done=done)


if __name__ == "__main__":
    main()
