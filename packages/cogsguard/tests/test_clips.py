"""The clips and their variants (rules, section 6)."""

import pytest

from cogsguard.game.clips import ClipsConfig, ClipsVariant
from mettagrid.cogame.core import VariantConflict

from .conftest import World

#       ship at column 1; junctions at distance 5, 8 and 12; the hub and a cog far to the right
LANE = "#0....+..+...+" + "." * 30 + "@&#"
ROWS = ["#" * len(LANE), LANE, "#" * len(LANE)]


def clips(**settings: object) -> ClipsVariant:
    return ClipsVariant(clips_config=ClipsConfig.model_validate(settings))


def owners(world: World) -> str:
    """Return the owner of each junction from left to right: c clips, o cogs, . none."""
    letters = {"team:clips": "c", "team:cogs": "o"}
    tags = [world.tags_of(item) for item in world.objects("junction")]
    return "".join(next((letter for tag, letter in letters.items() if tag in held), ".") for held in tags)


def test_greedy_clips_take_the_nearest_junction_every_two_hundred_steps() -> None:
    world = World(ROWS)
    seen = {}
    for step in range(1, 601):
        world.step()
        seen[step] = owners(world)
    assert [seen[step] for step in (99, 100, 299, 300, 499, 500)] == ["...", "c..", "c..", "cc.", "cc.", "ccc"]
    assert world.game_stat("clips/aligned.junction.held") == 1 * 200 + 2 * 200 + 3 * 101


def test_clips_without_opposition_hold_a_known_number_of_junction_steps() -> None:
    row = "#0" + ".+" * 6 + "." * 40 + "@&#"
    world = World(["#" * len(row), row, "#" * len(row)])
    world.step(times=1000)
    assert world.game_stat("clips/aligned.junction.held") == 10020 / 4


def test_angry_clips_come_late_and_head_for_the_hub() -> None:
    world = World(ROWS, ["angry_clips"])
    world.step(times=399)
    assert owners(world) == "..."
    world.step()
    assert owners(world) == "..c"
    world.step(times=100)
    assert owners(world) == ".cc"


def test_adaptive_clips_rest_while_they_lead() -> None:
    world = World(ROWS, ["adaptive_clips"])
    world.step(times=100)
    assert owners(world).count("c") == 1
    world.step(times=600)
    assert owners(world).count("c") == 1


def test_adaptive_clips_strike_three_times_while_cogs_lead() -> None:
    row = "#0....+..+..+" + "." * 14 + "&+@+#"
    empty = "#" + "." * (len(row) - 2) + "#"
    beside = empty[:-3] + "+.#"
    world = World(["#" * len(row), beside, row, beside, "#" * len(row)], ["adaptive_clips"])
    world.give(aligner=1, heart=4)
    for direction in ("north", "east", "south", "west"):
        assert world.step(f"move_{direction}") == [True]
    assert owners(world).count("o") == 4
    world.step(times=95)
    assert owners(world).count("c") == 0
    world.step()
    assert owners(world).count("c") == 3


def test_no_clips_removes_the_ships_and_keeps_the_tags() -> None:
    world = World(ROWS, ["no_clips"])
    assert not [name for name in world.env.game.events if "clips" in name]
    assert world.objects("ship") == []
    assert {"team:clips", "net:clips"} <= set(world.tags)  # trained networks depend on the ids of tags
    assert "clips/aligned.junction.held" not in world.sim.episode_stats["game"]
    world.step(times=300)
    assert owners(world) == "..."


def test_overrun_gives_the_clips_every_junction_and_no_more() -> None:
    world = World(ROWS, ["overrun"])
    assert owners(world) == "ccc"
    assert not [name for name in world.env.game.events if "clips" in name]


def test_modes_take_precedence_in_a_fixed_order() -> None:
    both = World(ROWS, [clips(angry_target_enemy_hub=True, adaptive_enabled=True)])
    assert both.env.game.events["neutral_to_clips"] == World(ROWS).env.game.events["neutral_to_clips"]
    plain = World(ROWS, [clips(greedy_expand_from_ships=False)]).env.game.events["neutral_to_clips"]
    assert plain.nearest is None and plain.max_targets == 1


def test_modes_combine_in_the_order_in_which_they_are_attached() -> None:
    angry, greedy = World(ROWS, ["angry_clips"]).env.game.events, World(ROWS, ["greedy_clips"]).env.game.events
    assert World(ROWS, ["greedy_clips", "angry_clips"]).env.game.events == angry
    late = World(ROWS, ["angry_clips", "greedy_clips"]).env.game.events["neutral_to_clips"]
    assert late.nearest == greedy["neutral_to_clips"].nearest
    assert late.timesteps == angry["neutral_to_clips"].timesteps
    both = World(ROWS, ["adaptive_clips", "angry_clips"]).env.game.events
    assert both["neutral_to_clips"] == angry["neutral_to_clips"]


def test_overrun_works_without_ships() -> None:
    assert owners(World(ROWS, ["no_clips", "overrun"])) == "ccc"


def test_a_drawn_map_keeps_its_number_of_ships() -> None:
    with pytest.raises(VariantConflict, match="num_ships is 3, but 1 ships are drawn on the map"):
        World(ROWS, [ClipsVariant(num_ships=3)])


def test_settings_without_effect_are_accepted() -> None:
    clips(initial_clips_start=20, initial_clips_spots=2, presence_end=100)
