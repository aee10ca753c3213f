"""The page of learning curves, as text and in a real browser."""

import html
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cogames_training.reports.charts import ticks
from cogames_training.reports.page import render_page
from cogames_training.reports.series import MAX_POINTS, Point, thinned
from cogames_training.runs import read_run

from .conftest import MakeRun, report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<img src=x onerror=alert(1)></script>"


@pytest.fixture
def page(make_run: MakeRun, tmp_path: Path) -> Path:
    """A page about a run of 250 epochs and one of 12, with hostile names."""
    for name, count in (("long", 250), ("short", 12)):
        with make_run(name, args={"policy": HOSTILE, "missions": [HOSTILE]}, command=["cogames", HOSTILE]) as run:
            for epoch in range(1, count + 1):
                score = {"score": epoch / 10, "low": epoch / 10 - 1, "high": epoch / 10 + 1, "episodes": 5}
                missions = {"arena": score, HOSTILE: score}
                changes: dict[str, Any] = {"experience": {HOSTILE: 1.0}}
                if epoch % 3 == 0:
                    changes["evaluation"] = {**score, "missions": missions}
                if epoch == 5:
                    changes["losses"] = {"policy_loss": math.nan, "value_loss": 1e30}
                run.append_metrics(report(epoch, **changes))
    runs = [read_run(tmp_path / "train_dir" / name) for name in ("long", "short")]
    path = tmp_path / "page.html"
    path.write_text(render_page(runs))
    return path


def test_the_page_has_the_curves_and_loads_nothing(page: Path) -> None:
    text = page.read_text()
    for part in ("Score in evaluations", "Reward of training episodes", "Policy loss", "Time by phase: short"):
        assert part in text
    assert "values are not numbers" in text
    assert HOSTILE not in text and "<img" not in text
    assert not re.findall(
        r"(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", text.replace(html.escape(HOSTILE), "")
    )
    assert len(text) < 600_000


def test_a_run_without_epochs_has_a_page(make_run: MakeRun) -> None:
    run = make_run()
    text = render_page([read_run(run.path)])
    assert "No data yet." in text and "How to repeat" in text


def test_long_curves_are_averaged_and_keep_their_extremes() -> None:
    points = [Point(float(x), float(x % 7), float(x % 7), float(x % 7)) for x in range(1000)]
    drawn = thinned(points)
    assert len(drawn) == MAX_POINTS
    assert all(point.low == 0 and point.high == 6 and 2 < point.y < 4 for point in drawn)
    assert thinned(points[:MAX_POINTS]) == points[:MAX_POINTS]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.0, 10.0, [0, 2, 4, 6, 8, 10]), (-0.011, 0.012, [-0.01, -0.005, 0.0, 0.005, 0.01]), (3.0, 3.0, [3.0])],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_works_in_a_browser(page: Path, browser: "Browser", theme: Any) -> None:
    tab = browser.new_page(color_scheme=theme, viewport={"width": 1000, "height": 900})
    try:
        problems: list[str] = []
        tab.on("console", lambda message: problems.append(message.text))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("dialog", lambda dialog: problems.append("a dialog opened"))
        tab.goto(page.as_uri())
        first = tab.locator("figure.by-steps").first
        first.locator("svg").hover()
        _, long, middle, short, last = first.locator(".tip").inner_text().splitlines()
        assert (long, short, last) == ("long", "short", "1.20") and 8 < float(middle) < 15
        assert tab.locator("figure.by-time").first.is_hidden()
        tab.check("#by-time")
        assert tab.locator("figure.by-time").first.is_visible() and first.is_hidden()
        background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[theme]
        tab.set_viewport_size({"width": 380, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth") <= 380
        assert problems == []
    finally:
        tab.close()
