"""CPU time of a step of the `sparse` network for 8 cogs on the arena, in NumPy. Prints one JSON line.

usage: training_inference.py [STEPS]
"""

import json
import sys
import time

import numpy as np

from cogames import missions
from mettagrid.batch import Batch
from mettagrid.compiler import compile
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec

SEED = 42
WARM_UP = 20


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    env = missions.load("arena", seed=SEED)
    program = compile(env)
    grid = env.game.map_builder.create().build_for_num_agents(program.num_agents).grid
    batch = Batch([program.world(program.map(grid), SEED)], threads=1)
    policy = initialize_or_load_policy(PolicyEnvInterface.from_mg_cfg(env), PolicySpec(class_path="sparse"))
    times = np.empty(steps)
    for step in range(steps):
        began = time.process_time()  # of all threads
        policy.step_batch(batch.observations, batch.actions)
        times[step] = time.process_time() - began
        batch.step()
    if "torch" in sys.modules:
        raise SystemExit("the network used PyTorch")
    times = times[WARM_UP:] * 1e3
    numbers = {"mean_ms": times.mean(), "median_ms": np.median(times), "worst_ms": times.max()}
    print(json.dumps({name: round(float(value), 3) for name, value in numbers.items()} | {"steps": len(times)}))


if __name__ == "__main__":
    main()
