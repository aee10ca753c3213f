"""A game for people: ready, goal, a click that resumes, typing that stays text, and once more."""

from __future__ import annotations

from mettagrid.live import Goal
from tests.accessibility import axe_findings, fitting_findings

from .conftest import Go, Table, drive, serve_game


def test_a_host_gets_ready_reads_the_goal_and_plays_again(visit: Go) -> None:
    goal = Goal("Hold <b>junctions</b>.", "Arrows move your cog.")
    with serve_game("random", steps=6, speed=100, paused=True, goal=goal) as table:
        found = visit(table.address)
        found.page.wait_for_selector("[data-testid=ready]:visible")
        assert "Hold <b>junctions</b>." in found.text("[data-testid=ready]")
        assert not (wrong := axe_findings(found.page)), wrong
        assert table.clock.paused and table.tick() == 0
        found.page.click("[data-testid=ready-button]")
        found.until(lambda: found.text("[data-testid=live-status]") == "The game is over after 6 steps")
        found.page.click("[data-testid=play-again]")
        found.page.wait_for_selector("[data-testid=ready]:visible")
        assert found.page.locator(".pane").count() == 1
        found.page.click("[data-testid=ready-button]")
        found.until(lambda: 1 in table.game.lines and table.tick(line=1) == 6)


def test_a_click_on_the_map_resumes_a_paused_game_and_typing_moves_nothing(visit: Go, table: Table) -> None:
    found = visit(table.address)
    drive(found, 0)
    found.page.keyboard.press(" ")
    found.until(lambda: found.text("[data-testid=live-status]") == "Paused")
    column, row = table.place(0)
    target = (column + (2 if column < 5 else -2), row)
    found.page.evaluate(
        "([x, y]) => mettascope.live.order(x, y, new PointerEvent('pointerup'))", [target[0], target[1]]
    )
    found.until(lambda: not table.clock.paused)
    found.until(lambda: table.place(0) == target)
    theme = found.page.evaluate("document.documentElement.dataset.theme")
    found.page.click("[data-testid=talk]")
    found.page.keyboard.type("wasdx")
    assert found.page.input_value("[data-testid=talk-field]") == "wasdx"
    assert found.page.evaluate("document.documentElement.dataset.theme") == theme
    assert table.place(0) == target
    found.page.set_viewport_size({"width": 360, "height": 720})
    found.painted()
    assert not (wrong := axe_findings(found.page) + fitting_findings(found.page)), wrong
