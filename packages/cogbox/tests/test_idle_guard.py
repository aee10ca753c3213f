"""The guard of a box waits without using the processor, also after the program has closed its output."""

import contextlib
import os
import time
from pathlib import Path

from cogbox import Sandbox, Verdict

SECONDS = 60


def open_pipes(pid: int) -> list[str]:
    """Return the pipes that a process holds open beside its standard streams."""
    targets = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            targets.append(os.readlink(path) if int(path.name) > 2 else "")
    return [target for target in targets if target.startswith("pipe:")]


def test_the_guard_closes_pipes_that_the_program_has_closed(quick: Sandbox, state: Path) -> None:
    """`poll` returns at once for a pipe without writers: a guard that held on to it would never wait again."""
    program = "read line; echo $line; exec >&- 2>&-; exec sleep 600"
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as stdin, quick.start(["sh", "-c", program], stdin=stdin, python=False) as box:
        assert box.wait_started()
        assert open_pipes(box._guard.pid)
        os.write(sink, b"last words\n")
        os.close(sink)
        deadline = time.monotonic() + SECONDS
        while left := open_pipes(box._guard.pid):
            assert time.monotonic() < deadline, left
            time.sleep(0.01)
        assert box.poll() is None
        box.end(Verdict.PROTOCOL, "enough")
        assert box.wait(SECONDS).stdout == b"last words\n"
