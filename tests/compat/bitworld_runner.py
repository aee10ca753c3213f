"""Play a match with the published episode runner against our server: the published client accepts all we send.

usage: bitworld_runner.py PUBLISHED_PYTHON     exit status 1 if something differs

The published runner starts the server as a program in `~/bitworld/GAME/GAME`. Its home is a temporary folder here, and
the program is ours. It connects five players and the reward listener, sends random actions for 150 ticks, ends the
server, and trims and validates the replay; our reader then verifies every state of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TICKS, PLAYERS = 150, 5
_EPISODE = """
import json, sys
from pathlib import Path
from mettagrid.bitworld import validate_bitworld_replay_bytes
from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.runner.bitworld_runner import run_bitworld_episode
from mettagrid.runner.types import PureSingleEpisodeJob

ticks, players, replay = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
fast = {"startWaitTicks": 0, "roleRevealTicks": 0, "gameOverTicks": 12}
env = BitWorldEnvConfig(num_players=players, max_ticks=ticks, seed=7, server_config=fast)
job = PureSingleEpisodeJob(policy_uris=["bitworld_random_action"], assignments=[0] * players, env=env,
                           results_uri=None, replay_uri=Path(replay).as_uri(), seed=7)
result = run_bitworld_episode(job)
validate_bitworld_replay_bytes(Path(replay).read_bytes())
print(json.dumps({"rewards": result.rewards, "agents": result.stats["agent"]}))
"""


def main(published: str) -> int:
    from bitworld.replays import ReplayGame, read_replay

    with tempfile.TemporaryDirectory() as folder:
        home, replay = Path(folder), Path(folder) / "replay.json.z"
        program = home / "bitworld" / "among_them" / "among_them"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m bitworld among_them "$@"\n')
        program.chmod(0o755)
        command = [published, "-c", _EPISODE, str(TICKS), str(PLAYERS), str(replay)]
        played = subprocess.run(command, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True)
        if played.returncode != 0:
            print(f"bitworld runner: the published runner failed:\n{played.stderr[-2000:]}")
            return 1
        result = json.loads(played.stdout.splitlines()[-1])
        lost = [agent["frame_advance.total"] - agent["frame_advance.samples"] for agent in result["agents"]]
        playback = ReplayGame(read_replay(replay.read_bytes()))
        playback.seek(playback.length)
    print(f"bitworld runner: {TICKS} ticks of {PLAYERS} published players, pictures lost {lost}, replay verified")
    return int(len(result["rewards"]) != PLAYERS or playback.length < TICKS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
