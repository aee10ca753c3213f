"""Aligning, scrambling, the network, held junctions and rewards (rules, section 5)."""

import pytest

from .conftest import World


def row_world(distance: int, *variants: str) -> World:
    """Return a junction so many cells right of the hub, with a cog beside it."""
    row = "#&" + "." * (distance - 2) + "@+.#"
    return World(["#" * len(row), row, "#" * len(row)], [*variants])


@pytest.mark.parametrize(("distance", "aligned"), [(25, True), (26, False)])
def test_the_hub_reaches_twenty_five_cells(distance: int, aligned: bool) -> None:
    world = row_world(distance)
    world.give(aligner=1, heart=1, hp=100)
    assert world.step("move_east") == [aligned]
    tags = {"team:cogs", "net:cogs"} if aligned else set()
    assert world.tags_of(world.objects("junction")[0]) == tags
    assert world.agent().get("heart", 0) == (0 if aligned else 1)


@pytest.mark.parametrize(("distance", "aligned"), [(15, True), (16, False)])
def test_the_network_reaches_fifteen_cells(distance: int, aligned: bool) -> None:
    row = "#&" + "." * 23 + "@+" + "." * (distance - 2) + "@+#"
    world = World(["#" * len(row), row, "#" * len(row)])
    for agent in (0, 1):
        world.give(agent, aligner=1, heart=1, hp=100)
    world.step("move_east")
    assert world.step("noop", "move_east")[1] == aligned


@pytest.mark.parametrize(("rows", "columns", "aligned"), [(15, 20, True), (16, 20, False)])
def test_distance_is_euclidean(rows: int, columns: int, aligned: bool) -> None:
    height, width = rows + 4, columns + 4
    grid = [["#" if r in (0, height - 1) or c in (0, width - 1) else "." for c in range(width)] for r in range(height)]
    grid[1][1], grid[1 + rows][1 + columns], grid[1 + rows][columns] = "&", "+", "@"
    world = World(["".join(line) for line in grid])
    world.give(aligner=1, heart=1, hp=100)
    assert world.step("move_east") == [aligned]


@pytest.mark.parametrize("missing", ["heart", "aligner"])
def test_aligning_needs_gear_and_a_heart(missing: str) -> None:
    world = row_world(10)
    world.give(**{"aligner": 1, "heart": 1, missing: 0})
    assert world.step("move_east") == [False]


def test_held_junctions_pay_every_step_and_are_counted() -> None:
    world = row_world(10)
    world.give(aligner=1, heart=1)
    world.step("move_east")
    world.step(times=9)
    assert world.game_stat("cogs/aligned.junction.held") == 10
    assert world.game_stat("cogs/aligned.junction.gained") == 1
    assert world.agent_stat("junction.aligned_by_agent") == 1
    assert world.rewards().tolist() == pytest.approx([10 / 1000])


def test_elements_can_be_left_at_an_aligned_junction() -> None:
    world = row_world(10)
    world.give(aligner=1, heart=1, carbon=2)
    world.step("move_east")
    assert world.step("move_east") == [True]
    assert world.game_stat("cogs/carbon.deposited") == 2
    assert world.holds(world.objects("hub")[0])["carbon"] == 3 + 2


def test_losing_the_middle_of_the_network_frees_the_junctions_behind_it() -> None:
    row = "#&" + "." * 22 + "+@" + "." * 12 + "+@#"
    world = World(["#" * len(row), "#" + "." * (len(row) - 2) + "#", row, "#" * len(row)])
    for agent in (0, 1):
        world.give(agent, aligner=1, heart=1, hp=100)
    world.step("move_west")
    world.step("noop", "move_west")
    middle, far = world.objects("junction")
    assert world.tags_of(middle) == world.tags_of(far) == {"team:cogs", "net:cogs"}
    assert world.game_stat("cogs/aligned.junction.held") == 3


SHIP = "#0" + "." * 8 + "+@" + "." * 15 + "&#"


def test_clips_take_and_flip_junctions_at_step_one_hundred() -> None:
    world = World(["#" * len(SHIP), SHIP, "#" * len(SHIP)])
    world.give(aligner=1, heart=1)
    world.step("move_west")
    assert world.tags_of(world.objects("junction")[0]) == {"team:cogs", "net:cogs"}
    world.step(times=98)
    assert world.tags_of(world.objects("junction")[0]) == {"team:cogs", "net:cogs"}
    world.step()
    assert world.tags_of(world.objects("junction")[0]) == {"team:clips", "net:clips", "clips:ship:0"}
    assert world.game_stat("clips/aligned.junction.held") == 1


def test_scrambling_a_junction_of_the_clips_leaves_the_tag_of_the_ship() -> None:
    world = World(["#" * len(SHIP), SHIP, "#" * len(SHIP)])
    world.step(times=100)
    world.give(scrambler=1, heart=1)
    assert world.step("move_west") == [True]
    assert world.tags_of(world.objects("junction")[0]) == {"clips:ship:0"}
    assert world.agent_stat("junction.scrambled_by_agent") == 1
    assert world.game_stat("clips/aligned.junction.lost") == 1


def test_aligning_a_junction_of_the_clips_makes_two_owners_unless_junctions_are_exclusive() -> None:
    both = {"team:clips", "net:clips", "team:cogs", "net:cogs", "clips:ship:0"}
    for variants, tags in (([], both), (["exclusive_junctions"], both - {"team:cogs", "net:cogs"})):
        world = World(["#" * len(SHIP), SHIP, "#" * len(SHIP)], variants)
        world.step(times=100)
        world.give(aligner=1, heart=1)
        world.step("move_west")
        assert world.tags_of(world.objects("junction")[0]) == tags
        world.step(times=250)
        assert world.tags_of(world.objects("junction")[0]) == tags
