"""A child process of the workbench: `python -m coworld.commands.optimize_worker`.

The first line of its input is a JSON object: `manifest`, `state` and `settings` of a run, or `command`, the words of
another `coworld` command. It stops when its input ends, whether the workbench closed it or died.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any


def main() -> int:
    """Run to the end, a failure (exit code 1) or an interrupt (130)."""
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    if "command" in request:
        from coworld.cli.table import app

        app(request["command"], prog_name="coworld")
    return _run(request)


def _run(request: dict[str, Any]) -> int:
    from coworld.errors import CoworldError
    from coworld.manifest.arguments import opened
    from coworld.optimize.run_settings import RunSettings, prepare
    from softmax.cli.errors import CommandError
    from softmax.cli.output import note, print_error

    try:
        with opened(request["manifest"]) as package:
            run = prepare(package, RunSettings.from_document(request["settings"]))
            outcome = run.execute(Path(request["state"]), tell=note, warn=note)
    except KeyboardInterrupt:
        return 130
    except (CoworldError, CommandError, OSError) as error:
        print_error(str(error))
        return 1
    if outcome.failed is not None:
        print_error(outcome.failed)
    return 0 if outcome.failed is None else 1


def _stop_at_end_of_input() -> None:
    while os.read(0, 1 << 10):
        pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
