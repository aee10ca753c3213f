"""Extractors, hub and stations (rules, section 4)."""

import pytest

from .conftest import World

MINE = ["#######", "#@C..&#", "#######"]
BASE = ["#########", "#a@&....#", "#r......#", "#m......#", "#t......#", "#########"]


def test_extracting_by_hand_and_as_a_miner() -> None:
    world = World(MINE)
    for carried in (1, 2, 3, 4, 4):
        assert world.step("move_east") == [True]  # a full cog bumps with success and gets nothing
        assert world.agent()["carbon"] == carried
    assert world.holds(world.objects("carbon_extractor")[0])["carbon"] == 196
    world.give(miner=1)
    for carried in (14, 24, 34, 40, 40):
        assert world.step("move_east") == [True]
        assert world.agent()["carbon"] == carried


def test_an_empty_extractor_is_removed() -> None:
    world = World(MINE)
    world.give(miner=1)
    for _ in range(20):
        world.step("move_east")
        world.give(carbon=0)
    assert not world.objects("carbon_extractor")


def test_endless_extractors_stay_and_are_filled_again() -> None:
    row = "#@CCCC...&#"
    world = World(["#" * len(row), row, "#" * len(row)], ["endless"])
    assert world.env.game.max_steps == 0
    world.give(miner=1)
    for _ in range(20):
        world.step("move_east")
        world.give(carbon=0)
    stocks = [world.holds(item).get("carbon", 0) for item in world.objects("carbon_extractor")]
    assert stocks == [0, 200, 200, 200]
    world.step(times=980)
    stocks = [world.holds(item).get("carbon", 0) for item in world.objects("carbon_extractor")]
    assert stocks in ([0, 200, 200, 200], [200, 200, 200, 200])  # one of the four, at random
    world.step(times=40_000)
    assert sum(world.holds(item).get("carbon", 0) for item in world.objects("carbon_extractor")) == 800


@pytest.mark.parametrize("cogs", [1, 4])
def test_the_hub_starts_with_three_of_each_element_per_cog(cogs: int) -> None:
    world = World(["########", "#&" + "@" * cogs + "." * (5 - cogs) + "#", "########"])
    held = world.holds(world.objects("hub")[0])
    assert held == {**dict.fromkeys(("oxygen", "carbon", "germanium", "silicon"), 3 * cogs), "heart": 5}


def test_bumping_the_hub_deposits_first_then_gives_then_makes_hearts() -> None:
    world = World(BASE)
    world.give(carbon=2, oxygen=1)
    world.step("move_east")
    hub = world.holds(world.objects("hub")[0])
    assert (hub["carbon"], hub["oxygen"], hub["heart"]) == (5, 4, 5)
    assert world.game_stat("cogs/carbon.deposited") == 2
    for hearts in range(1, 6):
        world.step("move_east")
        assert world.agent()["heart"] == hearts
    assert world.game_stat("cogs/heart.withdrawn") == 5
    assert world.step("move_east") == [False]  # not enough for another
    for element in ("carbon", "oxygen", "germanium", "silicon"):
        world.give(miner=1, **{element: 8})
        world.step("move_east")
    assert world.step("move_east") == [True]
    assert world.agent()["heart"] == 6
    assert world.game_stat("cogs/silicon.withdrawn") == 1
    assert world.holds(world.objects("hub")[0])["silicon"] == 3 + 8 - 7


def test_at_ten_hearts_elements_are_lost_all_the_same() -> None:
    world = World(BASE)
    for _ in range(5):
        world.step("move_east")
    world.give(miner=1, carbon=10)
    for element in ("carbon", "oxygen", "germanium", "silicon"):
        world.give(miner=1, **{element: 10})
        world.step("move_east")
    world.give(heart=10)
    assert world.step("move_east") == [True]
    assert world.agent()["heart"] == 10
    assert world.holds(world.objects("hub")[0])["germanium"] == 3 + 10 - 7


@pytest.mark.parametrize(
    ("gear", "cost"),
    [
        ("aligner", {"carbon": 3, "oxygen": 1, "germanium": 1, "silicon": 1}),
        ("scrambler", {"carbon": 1, "oxygen": 3, "germanium": 1, "silicon": 1}),
        ("miner", {"carbon": 1, "oxygen": 1, "germanium": 3, "silicon": 1}),
        ("scout", {"carbon": 1, "oxygen": 1, "germanium": 1, "silicon": 3}),
    ],
)
def test_the_hub_pays_for_gear(gear: str, cost: dict[str, int]) -> None:
    station = {"aligner": "a", "scrambler": "r", "miner": "m", "scout": "t"}[gear]
    world = World(["######", f"#{station}@&.#", "######"])
    assert world.step("move_west") == [True]
    assert world.agent()[gear] == 1
    hub = world.holds(world.objects("hub")[0])
    assert {name: 3 - hub.get(name, 0) for name in cost} == cost
    assert world.step("move_west") == [True]  # keeping it is free
    assert world.holds(world.objects("hub")[0]) == hub


def test_changing_away_from_miner_drops_cargo() -> None:
    world = World(["######", "#a@&.#", "######"])
    world.give(miner=1, carbon=40)
    assert world.step("move_west") == [True]
    assert (world.agent()["carbon"], world.agent()["aligner"], world.agent().get("miner", 0)) == (4, 1, 0)


def test_gear_that_the_hub_cannot_pay_is_refused() -> None:
    world = World(["######", "#a@&.#", "######"])
    world.step("move_west")
    world.give(aligner=0, scout=1)
    assert world.step("move_west") == [False]
    assert world.agent()["scout"] == 1
