"""Cogs driven in the page, compared with the engine."""

from __future__ import annotations

from mettagrid.replay import frame_at, load_replay

from .conftest import Go, Table, cell, drive, seen

STEPS = {"ArrowRight": (1, 0), "ArrowDown": (0, 1), "a": (-1, 0), "w": (0, -1), "d": (1, 0), "s": (0, 1)}


def test_keys_move_the_cog_that_is_driven_and_no_other(visit: Go, table: Table) -> None:
    found = visit(table.address)
    drive(found, 0)
    found.until(lambda: table.driver(0) is not None)
    other, (column, row) = table.place(1), table.place(0)
    moves = ["ArrowRight", "ArrowDown", "a", "w"] if column < 8 and row < 8 else ["a", "w", "d", "s"]
    for key in moves:
        dx, dy = STEPS[key]
        found.page.keyboard.press(key)
        column, row = place = column + dx, row + dy
        found.until(lambda place=place: table.place(0) == place)
        found.until(lambda place=place: seen(found, 0) == list(place))
    tick = table.tick()
    found.page.keyboard.press("x")
    found.until(lambda: table.tick() > tick)
    assert table.place(0) == (column, row)
    assert table.place(1) == other
    found.until(lambda: found.text("[data-fact=place]") == f"{column}, {row}")  # panels follow a little later


def test_a_click_on_a_cell_sends_the_cog_there(visit: Go, table: Table) -> None:
    table.clock.set_speed(15)
    found = visit(table.address)
    drive(found, 0)
    targets = [target for target in ((2, 2), (8, 8), (2, 8)) if target not in (table.place(0), table.place(1))]
    found.page.mouse.click(*cell(found, *targets[0]))
    plans = "mettascope.panes[0].view.live.plans.map(({ agent, cells }) => [agent, cells.at(-1)])"
    found.until(lambda: [0, list(targets[0])] in found.page.evaluate(plans) or table.place(0) == targets[0])
    found.until(lambda: table.place(0) == targets[0])
    found.page.mouse.click(*cell(found, *targets[1]))
    found.page.keyboard.down("Shift")
    found.page.mouse.click(*cell(found, 5, 5))
    found.page.keyboard.up("Shift")
    been = set()
    found.until(lambda: been.add(table.place(0)) or table.place(0) == (5, 5))  # type: ignore[func-returns-value]
    replay = load_replay(table.renderer().feed.whole()[1])
    agent = replay.objects.of_agents[0]
    walked = {frame_at(replay, tick).objects[agent].location for tick in range(replay.last_tick + 1)}
    assert targets[1] in {(x, y) for x, y, *_ in walked}, "the second way was forgotten, not queued"


def test_a_cog_is_taken_over_and_handed_back(visit: Go, wild: Table) -> None:
    found = visit(wild.address)
    drive(found, 1)
    found.until(lambda: wild.driver(1) is not None)
    assert found.text("[data-fact=driver]") == "Driven by you"
    found.until(lambda: found.text("[data-testid=live-status]") == "Waiting for you")
    tick = wild.tick()
    found.page.keyboard.press("x")
    found.until(lambda: wild.tick() > tick)
    found.page.keyboard.press("h")
    found.until(lambda: wild.driver(1) is None)
    found.page.wait_for_selector(".live-drivers [data-agent='1']", state="detached")
    places = {wild.place(1)}
    found.until(lambda: places.add(wild.place(1)) or len(places) > 2)  # type: ignore[func-returns-value]
    assert found.page.is_visible("[data-testid=drive]")


def test_the_game_waits_for_its_driver_only_while_it_should(visit: Go, table: Table) -> None:
    found = visit(table.address)
    drive(found, 0)
    found.page.wait_for_selector("[data-testid=wait]:checked")
    found.page.uncheck("[data-testid=wait]")
    found.until(lambda: table.clock.tick_mode == "fixed")
    tick = table.tick()
    found.until(lambda: table.tick() > tick + 20)


def test_two_pages_drive_two_cogs_at_once(visit: Go, table: Table) -> None:
    host, guest = visit(table.address), visit(table.server.invite("player"))
    drive(host, 0)
    drive(guest, 1)
    host.until(lambda: table.driver(0) is not None and table.driver(1) is not None)
    assert table.driver(0) != table.driver(1)
    host.page.wait_for_selector(f".live-drivers [data-agent='1'][data-driver='{table.driver(1)}']")
    start = [table.place(0), table.place(1)]
    keys = [("ArrowLeft", -1) if column > 4 else ("ArrowRight", 1) for column, _ in start]
    for page, (key, _) in zip((host, guest), keys, strict=True):
        page.page.keyboard.press(key)
    wanted = [(column + by, row) for (column, row), (_, by) in zip(start, keys, strict=True)]
    host.until(lambda: [table.place(0), table.place(1)] == wanted)
    for page in (host, guest):
        page.until(lambda page=page: [seen(page, 0), seen(page, 1)] == [list(place) for place in wanted])


def test_a_link_for_watching_drives_nothing_and_one_for_a_cog_only_that_one(visit: Go, table: Table) -> None:
    watcher = visit(table.server.invite("watch"))
    assert not watcher.page.is_visible("[data-testid=drive]")
    watcher.page.keyboard.press(".")
    watcher.page.keyboard.press("Shift+D")
    watcher.until(lambda: "watching only" in watcher.text(".notice"))
    player = visit(table.server.invite("player", 1))
    player.page.locator(".row-button", has_text="Agent 0").click()
    player.page.keyboard.press("Shift+D")
    player.until(lambda: "for driving agent 1" in player.text(".notice"))
    drive(player, 1)
    player.until(lambda: table.driver(1) is not None)
    assert table.driver(0) is None


def test_talk_and_vibe_arrive_in_the_game_and_in_other_pages(visit: Go, table: Table) -> None:
    host, guest = visit(table.address), visit(table.server.invite("watch"))
    drive(host, 0)
    host.page.keyboard.press("Enter")
    host.page.keyboard.type("<b>hi</b> there, how are you")
    assert host.page.input_value("[data-testid=talk-field]") == "<b>hi</b> there, how", "20 letters at most"
    host.page.keyboard.press("Enter")
    guest.panel("talk")
    guest.page.wait_for_selector("[data-agent='0'] >> text=<b>hi</b> there, how")
    assert guest.page.locator(".panel b", has_text="hi").count() == 0
    host.page.keyboard.press("e")
    host.page.click("[data-vibe=heart_a]")
    vibe = table.renderer()._sim.config.game.vibe_names.index("heart_a")
    host.until(lambda: table.agent(0)["vibe"] == vibe)
    host.until(lambda: host.page.locator(".object-head [data-fact=vibe]").inner_text() == "heart_a")
    host.page.keyboard.press("Enter")
    host.page.keyboard.type("again")
    host.page.keyboard.press("Enter")
    host.until(lambda: "You can speak again in" in host.text(".notice"))


def test_fingers_drive_on_a_phone(visit: Go, table: Table) -> None:
    phone = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
    found = visit(table.address, **phone)
    assert not found.page.is_visible("[data-testid=pad]")
    drive(found, 0)
    column, row = table.place(0)
    action, by = ("move_west", -1) if column > 4 else ("move_east", 1)
    found.page.tap(f"[data-testid=pad] [data-action={action}]")
    found.until(lambda: table.place(0) == (column + by, row))
