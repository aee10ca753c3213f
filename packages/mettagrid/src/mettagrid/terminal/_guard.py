"""Restore a terminal when the program that drew on it dies. Runs as a separate program.

Standard input is a pipe from that program: first a line of JSON with the terminal's settings before and during drawing,
then a byte for each change (`u` it draws, `d` it does not) and `q` at the end. Standard output is the terminal. If the
pipe ends while the program draws, it has died: `kill -9`, a crash in native code. Uses only the standard library.
"""

import json
import os
import select
import signal
import sys
import termios

_TAIL = 16384


def main() -> None:
    for name in ("SIGTTOU", "SIGTTIN", "SIGTSTP", "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    parent, output = int(sys.argv[1]), int(sys.argv[2])
    received = b""
    while b"\n" not in received:
        more = os.read(0, 65536)
        if not more:
            return
        received += more
    line, _, states = received.partition(b"\n")
    settings = json.loads(line)
    state = b"d"
    poll = select.poll()
    poll.register(0, select.POLLIN)
    # A forked copy of the program also holds the pipe open; the pidfd becomes readable when the program itself ends.
    death = open_process(parent)
    if death is not None:
        poll.register(death, select.POLLIN)
    while True:
        for state in (states[i : i + 1] for i in range(len(states))):
            if state == b"q":
                return
        ready = dict(poll.poll())
        states = os.read(0, 4096) if 0 in ready else b""
        if not states:
            break
    if state == b"u":
        restore(settings, output)


def open_process(number: int) -> int | None:
    """Return a pidfd for the parent process, safe against pid reuse, or None where the system has none."""
    try:
        death = os.pidfd_open(number)
    except (AttributeError, OSError):
        return None
    if os.getppid() == number:
        return death
    os.close(death)
    return None


def restore(settings: dict, output: int) -> None:
    # The shell that waits for the program may have changed the settings by now; do not override them.
    try:
        os.write(1, settings["leave"].encode())
        if plain(termios.tcgetattr(1)) == settings["drawing"]:
            termios.tcsetattr(1, termios.TCSANOW, settings["before"])
        size = os.fstat(output).st_size
        tail = os.pread(output, _TAIL, max(0, size - _TAIL))
        while tail:
            tail = tail[os.write(1, tail) :]
    except (OSError, termios.error):
        pass  # the terminal was closed as well


def plain(attributes: list) -> list:
    """Return the settings of a terminal as numbers only."""
    codes = [code if isinstance(code, int) else code[0] for code in attributes[6]]
    return [*attributes[:6], codes]


if __name__ == "__main__":
    main()
