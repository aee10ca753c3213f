"""A user at a real terminal: keys and display."""

from __future__ import annotations

import re

from packages.mettagrid.tests.terminal.shell import Shell


def place(shell: Shell) -> tuple[int, int] | None:
    """Row and column of the selected cog, as its panel tells it."""
    found = re.search(r"row (\d+), column (\d+)", shell.text())
    return None if found is None else (int(found[1]), int(found[2]))


def step(shell: Shell) -> int:
    found = re.search(r"Step (\d+)/", shell.text())
    return -1 if found is None else int(found[1])


def test_the_game_waits_at_its_beginning_and_shows_map_and_panels(shell: Shell) -> None:
    game = shell.play()
    shell.until_shows("Step 0/1000", "PAUSED", "Cog 0", "policy walker", "1[x] 2[ ] 3[x]", "██████", "Symbols")
    assert place(shell) == (2, 2)
    shell.press("q")
    assert game.left() == 0
    shell.until_shows("played 1 steps")


def test_a_cog_is_taken_over_driven_and_handed_back(shell: Shell) -> None:
    game = shell.play()
    shell.press("m")
    shell.until_shows("YOUR TURN", "you drive")
    for number, (key, there) in enumerate([("s", (3, 2)), ("Right", (3, 3)), ("d", (3, 4)), ("w", (2, 4))], 1):
        shell.press(key)
        shell.until(lambda number=number, there=there: step(shell) == number and place(shell) == there)
    assert step(shell) == 4  # it moves when the person does and not by itself
    shell.press("r")
    shell.until_shows("Step 5/", "noop")
    assert place(shell) == (2, 4)
    shell.press("m")
    shell.until_shows("Cog 0 was handed back to its policy", "policy walker", "PAUSED")
    shell.press("n")
    shell.until(lambda: step(shell) == 6 and place(shell) != (2, 4))
    shell.press("q")
    assert game.left() == 0


def test_in_real_time_the_game_goes_on_without_the_driver(shell: Shell) -> None:
    game = shell.play()
    shell.press("m", "Tab")
    shell.until(lambda: "YOU DRIVE" in shell.text() and step(shell) >= 3)
    assert place(shell) == (2, 2)  # its policy would have walked
    shell.press("s")
    shell.until(lambda: place(shell) == (3, 2))
    shell.press("q")
    assert game.left() == 0


def test_the_clock_plays_pauses_steps_and_changes_its_speed(shell: Shell) -> None:
    game = shell.play()
    shell.press("n")
    shell.until(lambda: step(shell) == 1)
    shell.press(">", ">", ">")
    shell.until_shows("13.5/s")
    shell.press("Space")
    shell.until(lambda: "PLAYING" in shell.text() and step(shell) > 5)
    shell.press("Space")
    shell.until_shows("PAUSED")
    shell.press("<")
    shell.until_shows("9/s")
    shell.press("s")  # a nudge: one step of a cog without a driver
    shell.until(lambda: place(shell) is not None and (place(shell) or (0, 0))[0] == 3)
    assert "policy walker" in shell.text()
    shell.press("q")
    assert game.left() == 0


def test_a_vibe_is_found_by_a_part_of_its_name(shell: Shell) -> None:
    game = shell.play()
    shell.press("e")
    shell.until_shows("Vibe of cog 0")
    shell.write("zzzq")  # letters, and not commands
    shell.until_shows("> zzzq", "no such vibe")
    shell.press("BSpace", "BSpace", "BSpace", "BSpace")
    shell.write("rocke")
    shell.until_shows("> rocke", "rocket")
    shell.press("Enter")
    shell.until(lambda: "Vibe of cog" not in shell.text() and "rocket" in shell.text() and step(shell) == 1)
    shell.press("e")
    shell.until_shows("Vibe of cog 0")
    shell.press("]")
    shell.until_shows("Vibe of cog 1")
    shell.press("Escape")
    shell.until(lambda: "Vibe of cog" not in shell.text() and "Cog 1" in shell.text())
    shell.press("q")
    assert game.left() == 0


def test_a_cog_walks_to_a_cell_that_was_chosen_on_the_map(shell: Shell) -> None:
    game = shell.play()
    shell.press("m", "g")
    shell.until_shows("Choose a cell", "Object")
    shell.press("Right", "l", "l", "k", "k")
    shell.until_shows("cog 1  row 4, column 5")
    shell.press("j", "g")
    shell.until(lambda: place(shell) == (4, 4))
    shell.press("q")
    assert game.left() == 0


def test_something_is_said_where_the_game_has_talk(shell: Shell) -> None:
    game = shell.play("talk")
    shell.press("Enter")
    shell.until_shows("Cog 0 says")
    shell.write("quiet, please")
    shell.press("Enter")
    shell.until_shows("0: quiet, please", "Step 1/")
    shell.press("Enter")
    shell.write("again")
    shell.press("Enter")
    shell.until_shows("The text was not sent")
    shell.press("q")
    assert game.left() == 0


def test_a_game_without_talk_says_so(shell: Shell) -> None:
    game = shell.play()
    shell.press("Enter")
    shell.until_shows("no talk in this game")
    shell.press("q")
    assert game.left() == 0


def test_the_cursor_tells_what_stands_somewhere(shell: Shell) -> None:
    game = shell.play()
    shell.press("t", "J")
    shell.until_shows("Object", "wall", "select")
    shell.press("]", "f")
    shell.until_shows("Cog 1", "follow")
    shell.press("1", "2", "3")
    shell.until(lambda: "Cog 1 ─" not in shell.text() and "1[ ] 2[ ] 3[ ]" in shell.text())
    shell.press("?")
    shell.until_shows("play or pause", "end the game")
    shell.press("q")  # closes the help and nothing else
    shell.until(lambda: "play or pause" not in shell.text() and "PAUSED" in shell.text())
    shell.press("q")
    assert game.left() == 0


def test_a_lesson_has_a_panel_and_marks_on_the_map(shell: Shell) -> None:
    game = shell.play("lesson")
    shell.until_shows("Lesson 1/8 Moving", "Go to the mark", "50%", "Hint: Press m, then d.", "◎")
    shell.press("q")
    assert game.left() == 0


def test_the_picture_follows_every_size_also_a_tiny_one(shell: Shell) -> None:
    game = shell.play()
    for width, height in [(160, 50), (20, 5), (2, 1), (50, 30), (300, 12), (80, 24)]:
        shell.resize(width, height)
        shell.until(lambda: len(shell.lines()) > 1)
        if width >= 20 and height >= 5:
            shell.until_shows("Step 0/1000")
        assert all(len(line) <= width for line in shell.lines())
        assert not game.is_over()
    shell.until_shows("Cog 0", "Symbols")
    shell.press("n")
    shell.until_shows("Step 1/")
    shell.press("q")
    assert game.left() == 0


def test_colours_are_left_out_where_nobody_wants_them(shell: Shell) -> None:
    game = shell.play()
    assert "\x1b[38;5;" in shell.text(coloured=True)
    shell.press("q")
    game.left()
    game = shell.play(variables="NO_COLOR=1")
    coloured = shell.text(coloured=True)
    assert "\x1b[1m" in coloured
    assert not re.search(r"\x1b\[[0-9;]*(38|48|3[0-7]|4[0-7]|9[0-7])[;m]", coloured)
    shell.press("q")
    assert game.left() == 0


def test_a_terminal_without_unicode_gets_plain_characters(shell: Shell) -> None:
    game = shell.play(variables="LC_ALL=C")
    shell.until_shows("####", "Cog 0")
    assert shell.text().isascii()
    shell.press("q")
    assert game.left() == 0


def test_the_last_picture_stays_until_it_was_seen(shell: Shell) -> None:
    game = shell.play("short")
    shell.press(*[">"] * 12, "Space")
    shell.until_shows("Step 30/30", "OVER", "The episode is over")
    shell.press("q")
    assert game.left() == 0
    shell.until_shows("played 30 steps")
