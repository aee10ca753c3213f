"""People drive cogs over `/player`."""

from __future__ import annotations

import pytest

from .conftest import Table, plan_of, serve_game, until

EAST = {"action_name": "move_east"}


def test_a_cog_is_driven_key_by_key_and_the_game_waits_in_between(table: Table) -> None:
    player, admin = table.open("/player", slot=0), table.open("/admin")
    assert player.receive()["type"] == "player_config"
    player.send("takeover")
    assert player.next("player_config")["control_state"]["control_mode"] == "human"
    admin.ask("resume")
    places = [table.place(0)]
    for step, name in enumerate(("move_east", "move_south", "move_west", "move_north")):
        player.send("action", action_name=name)
        assert player.next("observation", lambda m, step=step: m["step"] == step + 1)["is_human_controlled"]
        places.append(table.place(0))
    x, y = places[0]
    assert places == [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)]
    assert table.tick == 4


def test_a_cog_goes_back_to_its_policy_and_the_game_goes_on_as_before() -> None:
    with serve_game(plan_of("random"), paused=False, speed=200) as table:
        player = table.open("/player", slot=1)
        player.send("takeover")
        player.next("player_config", lambda m: m["control_state"]["control_mode"] == "human")
        table.wait_until_it_waits_for(1)
        player.send("release_takeover")
        state = player.next("player_config", lambda m: m["control_state"]["control_mode"] == "policy")
        assert state["control_state"]["tick_mode"] == "fixed"
        stood = table.tick
        until(lambda: table.tick > stood + 5, "going on")


def test_two_people_drive_two_cogs(table: Table) -> None:
    players = [table.open("/player", slot=slot) for slot in (0, 1)]
    admin = table.open("/admin")
    for player in players:
        player.send("takeover")
        player.next("player_config", lambda m: m["control_state"]["control_mode"] == "human")
    begin = [table.place(0), table.place(1)]
    players[0].send("action", **EAST)
    players[1].send("action", action_name="move_south")
    until(lambda: all(seat.actions for seat in table.game.lines[0].renderer.controls.seats), "both keys")
    admin.ask("step")
    until(lambda: table.tick == 1, "the step")
    assert table.place(0) == (begin[0][0] + 1, begin[0][1])
    assert table.place(1) == (begin[1][0], begin[1][1] + 1)


def test_a_cog_that_somebody_drives_cannot_be_taken_but_by_the_host(table: Table) -> None:
    guest = table.server.invite("player").partition("token=")[2]
    first, second, host = (table.open("/player", token=token, slot=0) for token in (guest, guest, None))
    first.send("takeover")
    mine = first.next("player_config", lambda m: m["control_state"]["control_mode"] == "human")
    second.send("takeover", force=True, request_id="r")
    refused = second.next("error")
    assert refused["request_id"] == "r"
    assert refused["message"] == f"Cog 0 is driven by {mine['connection_id']}; wait until it is handed back"
    second.send("action", **EAST)
    assert second.next("error")["message"] == "You do not drive cog 0; take it over first"
    host.send("takeover", force=True)
    assert host.next("player_config", lambda m: m["control_state"]["control_mode"] == "human")


def test_a_cog_whose_driver_leaves_goes_back_to_its_policy(table: Table) -> None:
    player, watcher = table.open("/player", slot=0), table.open("/global")
    player.send("takeover")
    watcher.next("state", lambda m: m["slots"][0]["driver"] is not None)
    player.close()
    watcher.next("state", lambda m: m["slots"][0]["driver"] is None and m["tick_mode"] == "fixed")


def test_an_order_is_walked_and_what_stands_at_its_end_is_pushed(table: Table) -> None:
    player, admin, watcher = table.open("/player", slot=0), table.open("/admin"), table.open("/global")
    player.send("takeover")
    player.next("player_config", lambda m: m["control_state"]["control_mode"] == "human")
    player.send("order", x=1, y=1)
    player.send("order", x=0, y=1, mode="queue")  # a wall
    watcher.next("state", lambda m: m["slots"][0]["plan"] == [[1, 1], [0, 1]])
    admin.ask("resume")
    table.wait_until_it_waits_for(0)
    assert table.place(0) == (1, 1)
    last = table.game.lines[0].renderer.moves[-1].actions[0]
    assert table.game.lines[0].renderer._sim.action_names[last] == "move_west"


def test_an_order_without_a_way_is_refused_and_the_cog_stays(table: Table) -> None:
    player, admin = table.open("/player", slot=0), table.open("/admin")
    player.send("takeover")
    player.send("order", x=99, y=1)
    assert player.next("error")["message"] == "Column 99, row 1 is not on the map of 10 x 10 cells"
    player.send("order", x=3, y=1, mode="often")
    assert player.next("error")["message"] == "`mode` must be one of go, queue, repeat"
    player.send("order", x=1, y=1)
    player.send("cancel")
    player.send("action", action_name="noop")
    admin.ask("resume")
    before = table.place(0)
    until(lambda: table.tick == 1, "the step")
    assert table.place(0) == before


def test_a_repeated_order_is_walked_to_and_fro(table: Table) -> None:
    player, admin = table.open("/player", slot=0), table.open("/admin")
    player.send("takeover")
    player.send("order", x=1, y=1, mode="repeat")
    player.send("order", x=3, y=1, mode="repeat")
    until(lambda: len(table.game.lines[0].renderer.controls.seats[0].orders.waiting) == 2, "the orders")
    admin.ask("step", count=40)
    until(lambda: table.tick == 40, "the steps")
    feed = table.game.lines[0].renderer.feed
    from mettagrid.replay import frame_at, load_replay

    replay = load_replay(feed.whole()[1])
    number = replay.objects.of_agents[0]
    places = [frame_at(replay, tick).objects[number].location for tick in range(20, 41)]
    assert places.count((1, 1)) >= 3
    assert places.count((3, 1)) >= 3


def test_a_cog_talks_and_changes_its_vibe_while_it_walks(table: Table) -> None:
    player, admin = table.open("/player", slot=0), table.open("/admin")
    player.send("takeover")
    player.send("order", x=1, y=1)
    player.send("action", vibe="heart_a", talk="hello")
    until(lambda: table.game.lines[0].renderer.controls.seats[0].talk, "the text")
    admin.ask("step")
    until(lambda: table.tick == 1, "the step")
    renderer = table.game.lines[0].renderer
    assert renderer._sim.talk_states()[0].text == "hello"
    names = renderer._sim.action_names
    assert names[renderer.moves[0].vibe_actions[0]] == "change_vibe_heart_a"
    assert names[renderer.moves[0].actions[0]].startswith("move_")
    player.send("action", talk="again, much too soon")
    until(lambda: renderer.controls.seats[0].talk, "the text")
    admin.ask("step")
    assert player.next("error")["message"].startswith("The text was not sent: talk cooldown has not expired")


def test_a_program_for_the_published_protocol_plays_instead_of_the_policy_until_it_leaves(table: Table) -> None:
    player, admin = table.open("/player", slot=0), table.open("/admin")
    names = player.receive()["action_names"]
    assert (player.receive()["step"], table.place(0)[0] < 8) == (0, True)
    begin = table.place(0)
    player.send("action", action_index=names.index("move_east"))
    until(lambda: table.game.lines[0].renderer.controls.seats[0].policy_action, "the action")
    admin.ask("step", count=2)
    assert player.next("observation", lambda m: m["step"] == 2)["control_state"]["control_mode"] == "policy"
    assert table.place(0) == (begin[0] + 2, begin[1])
    player.close()
    until(lambda: table.game.lines[0].renderer.controls.seats[0].policy_action is None, "leaving")
    admin.ask("step", count=2)
    until(lambda: table.tick == 4, "the steps")
    assert table.place(0) == (begin[0] + 2, begin[1])


def test_the_host_steps_a_paused_game_with_a_key(table: Table) -> None:
    player = table.open("/player", slot=0)
    player.send("takeover")
    begin = table.place(0)
    player.send("action", step=True, **EAST)
    player.next("observation", lambda m: m["step"] == 1)
    assert table.place(0) == (begin[0] + 1, begin[1])
    assert table.game.lines[0].renderer.clock.paused


@pytest.mark.parametrize("mode", ["fixed", "tick_when_act"])
def test_the_host_says_whether_the_game_waits(table: Table, mode: str) -> None:
    player, admin = table.open("/player", slot=0), table.open("/admin")
    player.send("takeover")
    player.next("player_config", lambda m: m["control_state"]["tick_mode"] == "tick_when_act")
    assert admin.ask("mode", tick_mode=mode)["type"] == "ok"
    admin.ask("resume")
    if mode == "fixed":
        until(lambda: table.tick > 5, "going on without the person")
    else:
        table.wait_until_it_waits_for(0)
        assert table.tick == 0
