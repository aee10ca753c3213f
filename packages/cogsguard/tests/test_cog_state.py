"""Limits, start values and what a step does to a cog (rules, sections 1 to 3)."""

import pytest

from .conftest import World

FAR = ["#" * 61, "#&" + "." * 56 + "@.#", "#" * 61]  # out of reach of the hub's territory
HOME = ["#########", "#&..@...#", "#########"]


def test_names_and_their_order() -> None:
    env = World(HOME).env
    assert env.game.resource_names == (
        "oxygen carbon germanium silicon hp heart energy aligner scrambler miner scout solar".split()
    )
    assert env.game.vibe_names == "default heart gear scrambler aligner miner scout".split()
    names = [action.name for action in env.game.actions.actions()]
    assert names[:5] == ["noop", "move_north", "move_south", "move_west", "move_east"]
    assert names[5:] == [f"change_vibe_{name}" for name in env.game.vibe_names]
    features = [feature.name for feature in env.game.id_map().features()]
    assert len(features) == 74
    assert features[60:62] == ["team:oxygen", "team:oxygen:p1"]
    assert features[68:] == [
        "last_action_move",
        *(f"territory:{side}" for side in "here north south east west".split()),
    ]


def test_start_and_first_step() -> None:
    world = World(FAR)
    assert world.agent() == {"hp": 50, "energy": 100, "solar": 1}
    world.step()
    assert world.agent() == {"hp": 49, "energy": 20, "solar": 3}
    assert world.agent_stat("energy.lost") == 80


@pytest.mark.parametrize(
    ("gear", "limits"),
    [
        (None, {"hp": 100, "energy": 20, "carbon": 4}),
        ("aligner", {"hp": 100, "energy": 20, "carbon": 4}),
        ("scrambler", {"hp": 200, "energy": 20, "carbon": 4}),
        ("miner", {"hp": 100, "energy": 20, "carbon": 40}),
        ("scout", {"hp": 400, "energy": 100, "carbon": 4}),
    ],
)
def test_the_largest_limit_counts(gear: str | None, limits: dict[str, int]) -> None:
    row = "#C@&....#"
    world = World(["#" * len(row), row, "#" * len(row)])
    world.give(**{gear: 1} if gear else {})
    world.step("move_west", times=6)  # at home, where hit points and energy come back
    assert {name: world.agent()[name] for name in limits} == limits


def test_without_territory_a_cog_loses_one_hit_point_per_step_and_energy_costs_nothing() -> None:
    world = World(FAR)
    world.step()
    for hp in range(48, 38, -1):
        world.step("move_west" if hp % 2 else "move_east")
        assert world.agent()["hp"] == hp
        assert world.agent()["energy"] == 20


def test_without_hit_points_a_cog_loses_hearts_and_gear_but_keeps_its_cargo() -> None:
    world = World(FAR)
    world.give(hp=2, heart=3, miner=1, carbon=30)
    world.step()
    assert world.agent().keys() >= {"hp", "heart", "miner"}
    world.step()
    left = world.agent()
    assert not left.keys() & {"hp", "heart", "miner"}
    assert 0 < left["carbon"] <= 30
    assert world.step("move_west") == [True]


def test_at_home_a_cog_with_one_hit_point_dies_and_is_healed_in_the_same_step() -> None:
    world = World(HOME)
    world.give(hp=1, heart=2)
    world.step()
    assert world.agent()["hp"] == 100
    assert "heart" not in world.agent()
    world.give(hp=2, heart=2)
    world.step()
    assert (world.agent()["hp"], world.agent()["heart"]) == (100, 2)


def test_day_and_night() -> None:
    world = World(FAR)
    solar = []
    for _ in range(400):
        world.step()
        solar.append(world.agent()["solar"])
    assert [solar[step - 1] for step in (1, 99, 100, 199, 200, 299, 300, 400)] == [3, 3, 1, 1, 3, 3, 1, 3]


def test_a_scout_is_healed_by_a_hundred_per_step() -> None:
    world = World(HOME)
    world.give(scout=1, hp=10)
    seen = []
    for _ in range(5):
        world.step()
        seen.append(world.agent()["hp"])
    assert seen == [109, 208, 307, 400, 400]


@pytest.mark.parametrize(("distance", "healed"), [(19, True), (20, False)])
def test_the_hub_heals_within_nineteen_cells(distance: int, healed: bool) -> None:
    row = "#&" + "." * (distance - 1) + "@.#"
    world = World(["#" * len(row), row, "#" * len(row)])
    world.step()
    assert world.agent()["hp"] == (100 if healed else 49)


@pytest.mark.parametrize(("distance", "loss"), [(9, 2), (10, 1)])
def test_enemy_territory_costs_one_hit_point_more(distance: int, loss: int) -> None:
    row = "#0" + "." * (distance - 1) + "@" + "." * 30 + "&#"
    world = World(["#" * len(row), row, "#" * len(row)])
    world.step()
    assert world.agent()["hp"] == 50 - loss


def test_strict_energy_charges_moves_and_lets_tired_cogs_rest() -> None:
    world = World(FAR, ["strict_energy", "no_clips"])
    world.step()
    world.give(energy=5)
    before = world.agent()["solar"]
    world.step("move_west")
    assert world.agent()["energy"] == 5 - 4 + before
    column = world.objects("agent")[0]["c"]
    world.give(energy=3, solar=0)
    world.step("move_west")
    assert world.objects("agent")[0]["c"] == column
    assert world.agent()["energy"] == 3
