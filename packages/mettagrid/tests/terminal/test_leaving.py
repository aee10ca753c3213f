"""However a game ends, the terminal is as it was before."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from packages.mettagrid.tests.terminal.shell import GAME, PROMPT, Shell, guards


def test_a_game_that_runs_has_one_guard_and_one_that_ended_has_none(shell: Shell) -> None:
    game = shell.play()
    shell.until(lambda: len(guards(game.pid)) == 1)
    shell.press("q")
    assert game.left() == 0
    assert guards(game.pid) == []


def test_a_game_that_was_resized_leaves_nothing_of_its_picture(shell: Shell) -> None:
    shell.resize(20, 5)
    game = shell.play(variables=f"echo {'long' * 40};")
    for size in range(1, 13):
        shell.resize(10 + 9 * size, 2 + 3 * size)
    shell.until_shows("space play")
    shell.resize(1, 1)
    shell.resize(80, 24)
    shell.until_shows("space play")
    shell.press("q")
    shell.until(game.is_over)
    (game.folder / "go").touch()
    shell.until(lambda: shell.text().rstrip().endswith(PROMPT))
    assert "space play" not in shell.text()
    assert "Step 0" not in shell.text()


def test_ctrl_c_ends_it(shell: Shell) -> None:
    game = shell.play()
    shell.press("C-c")
    assert game.left() == 128 + signal.SIGINT
    shell.until_shows("KeyboardInterrupt")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_that_asks_for_the_end_is_obeyed(shell: Shell, number: signal.Signals) -> None:
    game = shell.play("autostart", shows="PLAYING")
    game.kill(number)
    assert game.left() == 128 + number


def test_a_game_that_is_killed_leaves_the_terminal_in_order(shell: Shell) -> None:
    game = shell.play()
    shell.press("m", "d")
    shell.until_shows("Step 1/")
    game.kill(signal.SIGKILL)
    assert game.left() == 128 + signal.SIGKILL


def test_a_policy_that_raises_is_told_after_the_terminal_is_in_order(shell: Shell) -> None:
    game = shell.play("raise")
    shell.press("n", "n", "n", "n", "n", "n")
    assert game.left() == 1
    shell.until_shows("RuntimeError: the policy has broken")


def test_a_crash_in_native_code_leaves_the_terminal_in_order(shell: Shell) -> None:
    game = shell.play("abort")
    shell.press("Space")
    assert game.left() == 128 + signal.SIGABRT


def test_what_policies_print_does_not_tear_the_picture_and_is_told_afterwards(shell: Shell) -> None:
    game = shell.play("print")
    shell.press("n")
    shell.until_shows("Step 1/", "─ Output", "printed at 2", "from below")
    lines = shell.lines()
    assert "1[x] 2[ ] 3[x]" in lines[0] and "Step 1/" in lines[1]
    assert not any("printed" in line[:49] for line in lines)  # in the panel alone
    shell.press("q")
    assert game.left() == 0
    shell.until_shows("printed at 1", "from below", "played 2 steps")


def test_a_killed_game_still_tells_what_was_printed(shell: Shell) -> None:
    game = shell.play("print")
    shell.press("n")
    shell.until_shows("printed at 2")
    game.kill(signal.SIGKILL)
    game.left()
    shell.until_shows("printed at 2", "from below")


def test_a_game_is_suspended_and_comes_back(shell: Shell) -> None:
    folder = shell.new_folder()
    shell.write(f"clear; stty -a > {folder}/before; {sys.executable} {GAME} {folder} plain")
    shell.press("Enter")
    shell.until_shows("Step 0/")
    shell.press("C-z")
    shell.until(lambda: shell.text().rstrip().endswith(PROMPT) and "Stopped" in shell.text())
    assert [shell.asked(name) for name in ("alternate_on", "cursor_flag", "wrap_flag")] == ["0", "1", "1"]
    shell.write("echo a$((6*7))b")
    shell.press("Enter")
    shell.until_shows("a42b")
    shell.write("fg")
    shell.press("Enter")
    shell.until_shows("Step 0/", "PAUSED", "Symbols")
    shell.press("n")
    shell.until_shows("Step 1/")
    shell.press("q")
    shell.until_shows("played 2 steps")
    shell.write(f"stty -a > {folder}/after; echo do'ne'")
    shell.press("Enter")
    shell.until_shows("done")
    assert (folder / "after").read_text() == (folder / "before").read_text()


def test_a_suspended_game_that_is_killed_touches_nothing(shell: Shell) -> None:
    folder = shell.new_folder()
    shell.write(f"clear; {sys.executable} {GAME} {folder} plain")
    shell.press("Enter")
    shell.until_shows("Step 0/")
    shell.press("C-z")
    shell.until(lambda: shell.text().rstrip().endswith(PROMPT) and "Stopped" in shell.text())
    pid = int((folder / "pid").read_text())
    shell.write("echo typed")
    os.kill(pid, signal.SIGKILL)
    shell.until(lambda: not guards(pid))
    assert shell.text().rstrip().endswith("echo typed")
    shell.press("Enter")
    shell.until_shows("\ntyped")
