"""Run an engine in a separate process, for `engines.py`; works under the published engine's interpreter and under ours.

usage: worker.py PART ORACLE_DIR    reads the arguments of the part's `Job`, then those of each turn, and answers each;
                                    all are lines of JSON
"""

import importlib
import json
import os
import sys
from pathlib import Path

from engines import Answer


def main() -> None:
    # The published engine logs while it is imported; only answers go to stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    part, oracle = sys.argv[1], Path(sys.argv[2])
    job = None
    for line in sys.stdin:
        arguments = json.loads(line)
        if job is None:
            job = importlib.import_module(part).Job(oracle, **arguments)
            answer: Answer = {}
        else:
            answer = job.turn(**arguments)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
