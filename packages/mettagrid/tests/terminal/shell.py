"""A shell in a real terminal, kept by tmux, and games that are played in it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.support import require_tool

GAME = Path(__file__).with_name("game.py")
PROMPT = "ready>"
PATIENCE = 60.0
"""seconds; nothing here takes long, unless the machine is busy"""

# What follows a game is asked of the terminal itself: an interactive shell would put it right by its own.
SCRIPT = """
trap : INT
stty -a > {folder}/before
{command}
echo $? > {folder}/status
until [ -e {folder}/go ]; do sleep 0.05; done
stty -a > {folder}/after
"""


class Shell:
    """A terminal with a shell in it."""

    def __init__(self, folder: Path) -> None:
        self._tmux = [require_tool("tmux"), "-S", str(folder / "socket"), "-f", "/dev/null"]
        self._folder = folder
        self._games = 0
        environment = {"PS1": f"{PROMPT} ", "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(folder)}
        words = [f"{name}={value}" for name, value in environment.items()]
        shell = shlex.join(["env", "-i", "TERM=screen-256color", *words, "bash", "--norc", "--noprofile"])
        self.tmux("-u", "new-session", "-d", "-x", "80", "-y", "24", shell)
        self.until(lambda: PROMPT in self.text())

    def tmux(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True, timeout=PATIENCE)
        return done.stdout

    def close(self) -> None:
        self.tmux("kill-server")

    def press(self, *keys: str) -> None:
        """Keys as tmux names them, one after the other."""
        self.tmux("send-keys", *keys)

    def write(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def text(self, *, coloured: bool = False) -> str:
        return self.tmux("capture-pane", "-p", *(["-e"] if coloured else []))

    def lines(self) -> list[str]:
        return self.text().split("\n")

    def asked(self, what: str) -> str:
        """A variable of tmux: `alternate_on`, `cursor_flag`, `wrap_flag`."""
        return self.tmux("display-message", "-p", f"#{{{what}}}").strip()

    def resize(self, width: int, height: int) -> None:
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"This did not come in {PATIENCE:g} s; the screen is\n{self.text()}")
            time.sleep(0.03)

    def until_shows(self, *texts: str) -> None:
        self.until(lambda: all(text in self.text() for text in texts))

    def new_folder(self) -> Path:
        self._games += 1
        folder = self._folder / f"game{self._games}"
        folder.mkdir()
        return folder

    def start(self, command: str) -> Path:
        """Run a command by a shell that changes nothing of the terminal; its folder holds what is known of it."""
        folder = self.new_folder()
        (folder / "run").write_text(SCRIPT.format(folder=folder, command=command.format(folder=folder)))
        self.write(f"clear; sh {folder}/run")
        self.press("Enter")
        return folder

    def play(self, how: str = "plain", *, variables: str = "", shows: str = "Step 0") -> Game:
        folder = self.start(f"{variables} {sys.executable} {GAME} {{folder}} {how}")
        game = Game(self, folder)
        self.until(lambda: shows in self.text() and (folder / "pid").exists())
        return game


class Game:
    """A running game."""

    def __init__(self, shell: Shell, folder: Path) -> None:
        self.shell, self.folder = shell, folder

    @property
    def pid(self) -> int:
        return int((self.folder / "pid").read_text())

    def kill(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def is_over(self) -> bool:
        return (self.folder / "status").exists()

    def left(self, *, has_pid: bool = True) -> int:
        """Wait for the game's end and see that nothing is left of it; returns its exit status."""
        shell, folder = self.shell, self.folder
        shell.until(lambda: (folder / "status").exists() and (folder / "status").read_text().endswith("\n"))
        if has_pid:
            shell.until(lambda: not guards(self.pid))
        (folder / "go").touch()
        shell.until(lambda: shell.text().rstrip().endswith(PROMPT))
        assert (folder / "after").read_text() == (folder / "before").read_text()
        assert [shell.asked(name) for name in ("alternate_on", "cursor_flag", "wrap_flag")] == ["0", "1", "1"]
        shell.write("echo a$((6*7))b")
        shell.until(lambda: shell.text().rstrip().endswith("echo a$((6*7))b"))  # what is typed is seen
        shell.press("Enter")
        shell.until_shows("a42b")
        return int((folder / "status").read_text())


def guards(pid: int) -> list[int]:
    """Processes that watch over the terminal for a game."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.endswith(b"_guard.py") for word in words) and str(pid).encode() in words:
            found.append(int(process.name))
    return found
