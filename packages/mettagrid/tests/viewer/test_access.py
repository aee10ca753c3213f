"""The viewer against WCAG 2.2 AA: every panel, both themes, 200 %, a phone, and keys that can be switched off."""

from __future__ import annotations

from collections.abc import Callable

from mettagrid.viewer import ReplayServer
from tests.accessibility import COLOUR_RULES, axe_findings, fitting_findings
from tests.browser import Visit

Go = Callable[..., Visit]

PANELS = ("agent", "sight", "events", "charts", "heat", "search", "score", "stats", "talk", "info")


def test_every_panel_of_the_viewer_conforms_to_wcag(visit: Go, served: ReplayServer) -> None:
    found = visit(served.address, color_scheme="light", reduced_motion="reduce")
    wrong: list[str] = []
    found.page.keyboard.press(".")
    for panel in PANELS:
        found.page.click(f"[data-panel={panel}]")
        found.painted()
        wrong += [f"{panel}: {finding}" for finding in axe_findings(found.page)]
    found.page.keyboard.press("x")
    found.painted()
    for panel in PANELS:
        found.page.click(f"[data-panel={panel}]")
        found.painted()
        wrong += [f"{panel}, dark: {finding}" for finding in axe_findings(found.page, *COLOUR_RULES)]
    found.page.keyboard.press("?")
    wrong += [f"help: {finding}" for finding in axe_findings(found.page)]
    found.page.keyboard.press("Escape")
    for width, height in ((640, 450), (360, 720)):
        found.page.set_viewport_size({"width": width, "height": height})
        found.painted()
        wrong += [f"{width} px: {finding}" for finding in axe_findings(found.page) + fitting_findings(found.page)]
    assert not wrong, "\n".join(wrong)


def test_single_key_shortcuts_can_be_switched_off_and_stay_off(visit: Go, served: ReplayServer) -> None:
    found = visit(served.address)
    theme = "document.documentElement.dataset.theme"
    before = found.page.evaluate(theme)
    found.page.keyboard.press("?")
    found.page.uncheck("[data-testid=single-keys]")
    found.page.keyboard.press("Escape")
    found.page.keyboard.press("x")
    assert found.page.evaluate(theme) == before
    found.page.keyboard.press("ArrowRight")
    found.until(lambda: found.page.input_value("[data-testid=tick]") == "1")
    found.page.reload()
    found.page.wait_for_selector("[data-testid=hud] .hud-chip", state="attached")
    found.page.keyboard.press("x")
    assert found.page.evaluate(theme) == before
    assert not found.page.evaluate("JSON.parse(localStorage.mettascope).hasSingleKeys")
