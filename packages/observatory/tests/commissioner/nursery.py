"""A process that has everything loaded and makes others by forking: what is killed often must start quickly.

Reads lines of JSON: `["serve", log, environment]`, `["work", log, environment, server, token file, name, progress
file]` or `["commission", log, environment, server, token file, name]`. Answers each with the id of the new process.
Ends with its input, and takes its children along.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback

import packages.observatory.tests.loaded  # noqa: F401
from observatory.serving.serving import serve
from observatory.settings import Settings
from packages.observatory.tests.commissioner import scripted
from packages.observatory.tests.commissioners import lane


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for them
    os.setpgid(0, 0)
    for line in sys.stdin:
        action, log, environment, *words = json.loads(line)
        assert threading.active_count() == 1
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND), 2)
            os.environ |= environment
            sys.argv[1:] = words
            try:
                if action == "serve":
                    serve(Settings(), report=lambda sentence: None)
                elif action == "commission":
                    lane.main()
                else:
                    scripted.main()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        print(child, flush=True)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
