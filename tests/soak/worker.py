"""A process that plays cases, one per line of its input, and answers each with a line of JSON.

A line is the number of a case, the path of a saved one, or `leaks`, which asks LeakSanitizer. Answers go to the file
descriptor in the first argument: whatever a game prints stays out of them. With `plant` as second argument the line
`plant KIND` misbehaves on purpose, to show that the runner notices.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def sanitizer(name: str) -> Callable[[], int] | None:
    """Return a function of the sanitizers' interface; None in a build without them."""
    return getattr(ctypes.CDLL(None), name, None)


def tell_sanitizer(name: str) -> None:
    if function := sanitizer(name):
        function()


tell_sanitizer("__lsan_disable")  # what imports leave behind is not the engine's
from mettagrid.config.mettagrid_config import MettaGridConfig  # noqa: E402
from mettagrid.simulator import Simulation  # noqa: E402

from .cases import MAX_CELLS, Case, mutated_case  # noqa: E402
from .play import play  # noqa: E402

SECONDS_BEFORE_DUMP = 590  # what Python was doing, for the message about a case that hangs


def main() -> None:
    answers = os.fdopen(int(sys.argv[1]), "w")
    plants = sys.argv[2:] == ["plant"]
    faulthandler.enable()
    for number in (1, 2, 3):  # imports and first uses, kept out of the collector's way
        play(mutated_case(-number))
    play_largest()
    gc.collect()
    gc.freeze()
    tell_sanitizer("__lsan_enable")
    for line in sys.stdin:
        faulthandler.dump_traceback_later(SECONDS_BEFORE_DUMP)
        answer = answer_to(line.strip(), plants)
        faulthandler.cancel_dump_traceback_later()
        json.dump(answer | {"live": live_bytes(), "resident": resident_bytes()}, answers)
        answers.write("\n")
        answers.flush()
    os._exit(0)  # nothing to tidy up; the sanitizer would only find what Python leaves


def play_largest() -> None:
    """As many objects as any case may have: working memory of the engine does not grow after this."""
    side = int(MAX_CELLS**0.5) + 1
    config = MettaGridConfig.EmptyRoom(num_agents=1, width=side, height=side)
    config.game.map_builder.objects = {"wall": MAX_CELLS - 4 * side}
    Simulation(config).step()


def answer_to(request: str, plants: bool) -> dict[str, object]:
    if request == "leaks":
        return {"kind": "leaks", "found": find_leaks()}
    if plants and request.startswith("plant "):
        return misbehave(request.removeprefix("plant "))
    case = mutated_case(int(request)) if request.lstrip("-").isdigit() else Case.load(Path(request))
    outcome = play(case, show=bool(os.environ.get("SOAK_SHOW")))
    return vars(outcome) | {"source": case.source, "changes": case.changes}


def live_bytes() -> int | None:
    """Bytes in use on the heap, by the sanitizer's own count; None in a build without it."""
    count: Any = sanitizer("__sanitizer_get_current_allocated_bytes")
    if count is None:
        return None
    count.restype = ctypes.c_size_t
    return int(count())


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def find_leaks() -> bool | None:
    """Return whether LeakSanitizer finds memory that nothing points to; it writes what and where to stderr."""
    check = sanitizer("__lsan_do_recoverable_leak_check")
    return None if check is None else bool(check())


def misbehave(kind: str) -> dict[str, object]:
    if kind == "crash":
        os.abort()
    if kind == "hang":
        while True:
            pass
    if kind == "memory":
        hoard = []
        while True:
            hoard.append(b"x" * 2**24)
    if kind == "leak":
        allocate = ctypes.CDLL(None).malloc
        allocate.restype = ctypes.c_void_p
        for size in range(1000, 1020):
            allocate(size)
    return {"kind": "planted"}


if __name__ == "__main__":
    main()
