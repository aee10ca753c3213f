"""A worker with the options of `observatory worker` that plays by a formula: `commissioner.scripted` without files.

SIGTERM drains it. It ends with the process that started it.
"""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path

from packages.observatory.tests.commissioner.scripted import run


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("--server", "--token-file", "--sandbox", "--name"):
        parser.add_argument(option, required=True)
    parser.add_argument("--parent", type=int, required=True)
    args = parser.parse_args()
    is_draining = False

    def drain(*_: object) -> None:
        nonlocal is_draining
        is_draining = True

    signal.signal(signal.SIGTERM, drain)
    run(
        args.server,
        Path(args.token_file).read_text().strip(),
        args.name,
        stopping=lambda: is_draining or os.getppid() != args.parent,
        done=lambda: None,
    )


if __name__ == "__main__":
    main()
