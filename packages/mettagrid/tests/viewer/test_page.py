"""Using the page: addresses, keys, files, themes, exports; and what people write is shown as text."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mettagrid.replay import EpisodeRecorder, save_replay
from mettagrid.simulator import Simulation
from mettagrid.viewer import ReplayServer, serve, show, write_html

from .conftest import STEPS, TICK, Visit, Watched

if TYPE_CHECKING:
    from playwright.sync_api import FileChooser

pytestmark = pytest.mark.slow

Go = Callable[..., Visit]


def test_an_address_holds_the_moment(visit: Go, served: ReplayServer, watched: Watched) -> None:
    agent = watched.agent(TICK, 2)
    found = visit(f"{served.address}#tick={TICK}&speed=50&select={agent['id']}&panel=agent")
    assert found.page.input_value("[data-testid=tick]") == str(TICK)
    assert found.page.input_value("select.speed") == "50"
    assert found.text("[data-testid=object-title]") == "Agent 2"
    found.seek(TICK - 100)
    found.page.wait_for_url(lambda url: f"tick={TICK - 100}" in url)
    again = visit(found.page.url)
    assert again.page.input_value("[data-testid=tick]") == str(TICK - 100)
    assert again.text("[data-testid=object-title]") == "Agent 2"


def test_everything_can_be_done_with_keys(visit: Go, served: ReplayServer) -> None:
    found = visit(served.address)
    page = found.page
    tick = lambda: int(page.input_value("[data-testid=tick]"))  # noqa: E731
    for key, expected in [
        ("ArrowRight", 1),
        ("Shift+ArrowRight", 11),
        ("PageDown", 111),
        ("ArrowLeft", 110),
        ("Home", 0),
        ("End", STEPS),
    ]:
        page.keyboard.press(key)
        assert tick() == expected, key
    page.keyboard.press("Home")
    page.keyboard.press("n")
    first = tick()
    page.keyboard.press("n")
    assert tick() > first
    page.keyboard.press("p")
    assert tick() == first
    page.keyboard.press("Equal")
    assert page.input_value("select.speed") == "20"
    page.keyboard.press("Space")
    found.until(lambda: tick() > 60)
    page.keyboard.press("Space")
    page.keyboard.press("Alt+ArrowRight")
    assert page.locator("[data-testid=object-title]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("[data-testid=object-title]").count() == 0
    for number, panel in enumerate(["agent", "sight", "events", "charts", "heat", "search", "score", "stats", "talk"]):
        page.keyboard.press(str(number + 1))
        pressed = page.get_attribute(f"[data-panel={panel}]", "aria-pressed")
        assert pressed == ("false" if panel == "agent" else "true"), panel
    page.keyboard.press("?")
    assert page.locator("dialog.help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog.help").is_visible()
    page.keyboard.press("/")
    found.until(lambda: page.evaluate("document.activeElement.type") == "search")


def camera(found: Visit) -> dict[str, float]:
    code = "(() => { const { x, y, scale } = mettascope.panes[0].camera; return { x, y, scale }; })()"
    state: dict[str, float] = found.page.evaluate(code)
    return state


def on_screen(found: Visit, column: float, row: float) -> tuple[float, float]:
    """Where a place of the map is in the window."""
    x, y = found.page.evaluate(f"mettascope.panes[0].camera.toView({column}, {row})")
    box = found.page.locator(".board").first.bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def test_the_pointer_selects_moves_zooms_and_follows(visit: Go, served: ReplayServer, watched: Watched) -> None:
    found = visit(f"{served.address}#tick={TICK}")
    mouse = found.page.mouse
    agent = watched.agent(TICK, 3)
    column, row = agent["location"]
    mouse.click(*on_screen(found, column + 0.5, row + 0.5))
    assert found.text("[data-fact=id]") == str(agent["id"])
    before = camera(found)
    mouse.move(*on_screen(found, 40, 40))
    mouse.wheel(0, -600)
    found.until(lambda: camera(found)["scale"] > before["scale"] * 2)
    x, y = on_screen(found, 40, 40)
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 120, y, steps=4)
    moved = camera(found)
    assert moved["x"] < 45
    mouse.up()
    found.page.keyboard.press("f")
    found.until(lambda: abs(camera(found)["x"] - column - 0.5) < 0.1)
    box = found.page.locator(".minimap").first.bounding_box()
    assert box is not None
    mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    found.until(lambda: abs(camera(found)["x"] - 49) < 1 and abs(camera(found)["y"] - 49) < 1)


def changed_pixels(found: Visit, *, keep: bool = False) -> int:
    """How many pixels of the board are other ones than when it was last kept."""
    code = """(keep) => {
        const canvas = mettascope.panes[0].board.picture();
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const pixels = new Uint32Array(data.buffer);
        let changed = 0;
        if (window.kept) pixels.forEach((pixel, i) => (changed += Number(pixel !== window.kept[i])));
        if (keep) window.kept = pixels;
        return changed;
    }"""
    found.page.wait_for_timeout(300)  # until the camera has come to rest
    return int(found.page.evaluate(code, keep))


def test_layers_change_the_picture_and_can_be_switched_back(visit: Go, served: ReplayServer, watched: Watched) -> None:
    found = visit(f"{served.address}#tick={TICK}&select={watched.agent(TICK, 0)['id']}&panel=info&follow=1")
    for _ in range(6):
        found.page.keyboard.press("e")
    found.page.wait_for_timeout(1000)
    changed_pixels(found, keep=True)
    without_effect = []
    for layer in "tjrvhbgickl":
        found.page.keyboard.press(layer)
        if changed_pixels(found) == 0:
            without_effect.append(layer)
        found.page.keyboard.press(layer)
        assert changed_pixels(found) == 0, layer
    assert without_effect == ["i", "k"]  # no agent has a vibe or talks here


def test_both_themes_and_the_palette_for_the_colour_blind(visit: Go, served: ReplayServer) -> None:
    dark, light = visit(served.address, color_scheme="dark"), visit(served.address, color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    assert dark.page.evaluate(background) != light.page.evaluate(background)
    dark.page.keyboard.press("x")
    assert dark.page.evaluate(background) == light.page.evaluate(background)
    team = "getComputedStyle(document.querySelector('.hud-chip')).getPropertyValue('--team')"
    usual = light.page.evaluate(team)
    light.page.keyboard.press("y")
    light.until(lambda: light.page.evaluate(team) != usual)
    assert light.page.evaluate(team) == "#56b4e9"


def test_a_phone_shows_board_timeline_and_panels_without_scrolling_sideways(visit: Go, served: ReplayServer) -> None:
    found = visit(served.address, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in (".board", ".timeline", ".panel", ".tabs"):
        box = found.page.locator(part).first.bounding_box()
        assert box is not None and box["width"] > 300 and box["height"] > 30, part


def test_a_file_is_opened_by_choosing_and_by_dropping(
    visit: Go, served: ReplayServer, replay_files: dict[str, Path]
) -> None:
    found = visit(served.address.split("?")[0] + "?replay=nowhere")
    found.errors.clear()  # the browser itself notes that there is nothing
    assert "Replay not found at this address" in found.text("[data-testid=error]")
    choosers: list[FileChooser] = []
    found.page.on("filechooser", lambda chooser: choosers.append(chooser))
    found.painted()  # a round trip: from here on the browser hands choosers to this test
    found.page.keyboard.press("Shift+O")
    found.until(lambda: len(choosers) == 1)
    choosers[0].set_files(replay_files["v4"])
    found.page.wait_for_selector(".hud-chip")
    assert found.text("[data-testid=title]") == "machina_1"
    drop(found, replay_files["cogreplay"].read_bytes(), "dropped.cogreplay")
    found.panel("info")
    found.until(lambda: found.text("[data-fact=file]") == "dropped.cogreplay")


def drop(found: Visit, content: bytes, name: str) -> None:
    """Let a file fall on the page."""
    import base64

    code = """([text, name]) => {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], name));
        document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    found.page.evaluate(code, [base64.b64encode(content).decode(), name])


def test_one_file_works_from_disk_without_a_network(
    visit: Go, watched: Watched, replay_files: dict[str, Path], tmp_path: Path
) -> None:
    path = write_html(replay_files["cogreplay"], tmp_path / "episode.html")
    found = visit(f"{path.as_uri()}#tick={TICK}", offline=True)
    assert found.text("[data-testid=title]") == "machina_1"
    assert int(found.text("[data-team=cogs] b")) == watched.held[TICK]["cogs"]
    fetched = "performance.getEntriesByType('resource').map(entry => entry.name)"
    assert [name for name in found.page.evaluate(fetched) if not name.startswith("data:")] == []


def test_a_notebook_draws_it_inline(visit: Go, watched: Watched, tmp_path: Path) -> None:
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<meta charset=utf-8><div data-testid=hud><i class=hud-chip></i></div>{show(watched.replay)._repr_html_()}"
    )
    from playwright.sync_api import expect

    frame = visit(notebook.as_uri()).page.frame_locator("iframe")
    expect(frame.locator("[data-testid=title]")).to_have_text("machina_1", timeout=60_000)
    expect(frame.locator(".hud-chip").first).to_have_text(re.compile("^cogs"), timeout=60_000)


def test_pictures_and_tables_are_saved(visit: Go, served: ReplayServer, watched: Watched, tmp_path: Path) -> None:
    found = visit(f"{served.address}#tick={TICK}&panel=charts")
    with found.page.expect_download() as picture:
        found.page.keyboard.press("Shift+P")
    picture.value.save_as(tmp_path / "board.png")
    assert (tmp_path / "board.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.value.suggested_filename == f"machina-tick-{TICK}.png"
    with found.page.expect_download() as table:
        found.page.keyboard.press("Shift+E")
    rows = list(csv.DictReader(io.StringIO(Path(table.value.path()).read_text())))
    for tick in (0, TICK, STEPS):
        row = next(row for row in rows if row["tick"] == str(tick) and row["team"] == "cogs")
        assert int(row["held"]) == watched.held[tick]["cogs"]
    row = next(row for row in rows if row["tick"] == str(TICK) and row["team"] == "cogs")
    assert float(row["reward"]) == pytest.approx(watched.totals[TICK].mean(), abs=1e-9)


def altered(watched: Watched, tick: int) -> Simulation:
    """The same episode up to a tick, then with every agent doing nothing; recorded in `recorder`."""
    replay = watched.replay
    simulation = Simulation(watched.config, seed=7)
    recorder = EpisodeRecorder.of(simulation)
    asked: list[Any] = [[0] * replay.num_agents for _ in range(tick + 1)]
    from mettagrid.replay import frame_at

    for now in range(1, tick):
        asked[now] = [agent.asked for agent in frame_at(replay, now).agents]
    for now in range(1, tick + 20):
        simulation._c_sim.actions()[:] = asked[now] if now < tick else 0
        simulation.step()
        recorder.record()
    simulation.__dict__["recorder"] = recorder
    return simulation


def test_two_replays_are_compared_up_to_the_first_difference(
    visit: Go, watched: Watched, replay_files: dict[str, Path], tmp_path: Path
) -> None:
    parts_at = 40
    other = altered(watched, parts_at)
    save_replay(other.__dict__["recorder"].finish(), tmp_path / "other.cogreplay")
    with serve(replay_files["cogreplay"], beside=tmp_path / "other.cogreplay") as server:
        found = visit(server.address)
        found.page.wait_for_selector("[data-testid=first-difference]")
        assert found.text("[data-testid=first-difference]") == f"Tick {parts_at}"
        assert found.page.locator(".pane").count() == 2
        found.page.click("[data-testid=first-difference]")
        differences = found.page.locator("[data-part='First difference'] [data-difference]")
        told = {
            row.get_attribute("data-difference"): row.locator("td").all_inner_texts()[1:] for row in differences.all()
        }
    from mettagrid.replay import frame_at

    left, right = (frame_at(replay, parts_at) for replay in (watched.replay, other.__dict__["recorder"].finish()))
    for state in left.objects.values():
        mate = right.objects[state.number]
        if state.agent_id is not None and state.location != mate.location:
            places = ["{}, {}".format(*place) for place in (state.location, mate.location)]
            assert told[f"Agent {state.agent_id}: place"] == places
    assert any(name is not None and name.endswith(": place") for name in told)


NASTY = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"


def test_names_and_talk_are_text_and_never_markup(visit: Go, tmp_path: Path) -> None:
    from cogames.missions import load

    config = load("arena", ["talk"], seed=3)
    config.label = NASTY
    simulation = Simulation(config, seed=3)
    recorder = EpisodeRecorder.of(simulation)
    for tick in range(1, 8):
        simulation._context["policy_infos"] = {0: {"policy_name": NASTY, NASTY: {"x": [NASTY]}}}
        simulation._context["monologue_updates"] = {0: {"monologue_append": NASTY, "monologue_reset": False}}
        if tick == 3:
            simulation.agent(0).set_talk(NASTY[:140])
        simulation.step()
        recorder.record()
    path = tmp_path / f"{NASTY.replace('/', '')[:60]}.cogreplay"
    save_replay(recorder.finish(), path)
    found = visit(write_html(path, tmp_path / "nasty.html").as_uri() + "#tick=4")
    found.page.keyboard.press(".")
    assert found.text("[data-testid=title]") == NASTY
    assert found.text("[data-fact=policy_name]") == NASTY
    assert found.text("[data-fact=says]") == NASTY[:140]
    found.panel("talk")
    assert found.text(".event .grow") == f"Agent 0 {NASTY[:140]}"
    assert found.text("[data-testid=monologue]") == NASTY * 4
    for panel in ("events", "info", "search", "score", "stats", "charts"):
        found.panel(panel)
    assert found.page.locator("img[src=x]").count() == 0
    assert "broken" not in found.page.title().replace(NASTY, "")


def test_without_webgl_the_page_says_so_and_the_panels_work(
    browser: Any, served: ReplayServer, watched: Watched
) -> None:
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        " return kind.startsWith('webgl') ? null : get.call(this, kind, ...more); };"
        "OffscreenCanvas.prototype.getContext = () => null;"
    )
    page.goto(f"{served.address}#tick={TICK}")
    assert "no WebGL" in page.locator(".pane-trouble").inner_text()
    assert int(page.locator("[data-team=cogs] b").first.inner_text()) == watched.held[TICK]["cogs"]
    context.close()
    assert errors == []


def test_a_thousand_scrubs_leave_memory_as_it_was(visit: Go, served: ReplayServer) -> None:
    found = visit(f"{served.address}#select=1&panel=agent")
    session = found.page.context.new_cdp_session(found.page)
    scrub = """async (count) => {
        const { app } = mettascope;
        for (let i = 0; i < count; i++) {
            app.seek((i * 7919) % (app.lastTick + 1));
            if (i % 10 === 0) await new Promise((done) => requestAnimationFrame(done));
            else await null;
        }
    }"""

    def heap() -> float:
        for _ in range(3):
            session.send("HeapProfiler.collectGarbage")
        return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 2**20

    found.page.evaluate(scrub, 200)
    before = heap()
    found.page.evaluate(scrub, 1000)
    assert heap() - before < 2
