"""Runs under the interpreter of one engine: traces the cases named on standard input, each in a forked child.

usage: engine_server.py ORACLE_DIR
Each input line is a JSON list [case folder, case name, output folder]; the answer is one line when the trace
(NAME.npz) or the reason why there is none (NAME.err) has been written. Importing the engine is paid for once.
"""

import json
import os
import sys
from functools import partial

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # engines may print
sys.path.insert(0, sys.argv[1])
import numpy as np  # noqa: E402
import trace_episode  # noqa: E402  (lies in the oracle folder)


def in_order(observations: np.ndarray) -> np.ndarray:
    """Return tokens as numbers, as the oracle has them, but in the observed order: trained networks depend on it."""
    location, feature, value = np.moveaxis(observations.astype(np.uint32), 2, 0)
    return location << 16 | feature << 8 | value


trace_episode.canonical = in_order

print("ready", file=answers)
for line in sys.stdin:
    folder, name, out = json.loads(line)
    trace_episode.isolated(partial(trace_episode.run_case, folder, name, out), os.path.join(out, name + ".err"))
    print("done", file=answers)
