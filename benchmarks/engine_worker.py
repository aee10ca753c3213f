"""One engine on one episode, as often as asked; runs under the published engine's interpreter and under ours.

usage: engine_worker.py ORACLE_DIR CONFIG STEPS     one line on stdin asks for a run, one line of JSON answers
"""

import hashlib
import json
import os
import sys
import time

import numpy as np


def main() -> None:
    oracle, config_path, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # The published engine logs while it is imported; only answers go to stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, oracle)
    import trace_episode as te

    from mettagrid.simulator.simulator import Buffers, Simulation

    config = te.load_config(te.read_json(config_path))
    n, tokens = config.game.num_agents, config.game.obs.num_tokens
    for _ in sys.stdin:
        buffers = Buffers(
            observations=np.full((n, tokens, 3), 255, np.uint8),
            terminals=np.zeros(n, bool),
            truncations=np.zeros(n, bool),
            rewards=np.zeros(n, np.float32),
            masks=np.ones(n, bool),
            actions=np.zeros(n, np.int32),
            teacher_actions=np.zeros(n, np.int32),
            vibe_actions=np.zeros(n, np.int32),
        )
        start = time.perf_counter()
        sim = Simulation(config, seed=101, buffers=buffers)
        created = time.perf_counter() - start
        rng = np.random.default_rng(8)
        names = sim.action_names
        primary = [i for i, name in enumerate(names) if not name.startswith("change_vibe_")]
        vibes = [0] + [i for i, name in enumerate(names) if name.startswith("change_vibe_")]
        rows = rng.choice(primary, size=(steps, n)).astype(np.int32)
        vibe_rows = rng.choice(vibes, size=(steps, n)).astype(np.int32)
        # Rows are written from Python, as a training loop would; they are part of what is timed, on both sides.
        actions, vibe_actions, step = buffers.actions, buffers.vibe_actions, sim._c_sim.step
        start, cpu_start = time.perf_counter(), time.process_time()
        for row, vibe_row in zip(rows, vibe_rows, strict=True):
            actions[:] = row
            vibe_actions[:] = vibe_row
            step()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        digest = hashlib.sha256(te.canonical(buffers.observations).tobytes())
        digest.update(np.asarray(sim.episode_rewards, np.float32).round(3).tobytes())
        answer = {
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "create_seconds": created,
            "agents": n,
            "steps": steps,
            "digest": digest.hexdigest()[:16],
        }
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
