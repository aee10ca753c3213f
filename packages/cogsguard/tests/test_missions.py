"""Every mission and variant builds and runs; numbers of the missions; what cannot be is refused in one sentence."""

import random

import numpy as np
import pytest

from cogsguard.game import VARIANTS
from cogsguard.game.teams import TeamVariant
from cogsguard.map_config import count_drawn
from cogsguard.missions.drawn import DrawnMission
from cogsguard.missions.terrain import MapSeedVariant
from mettagrid import check_mission
from mettagrid.cogame.core import CoGameMission, CogsError, VariantConflict, VariantRegistry
from mettagrid.cogame.game import get_game
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.map_builder import GameMap
from mettagrid.simulator import Simulation

GAME = get_game("cogsguard")
MISSIONS = {mission.name: mission for mission in GAME.all_missions()}
ARENA, FOUR_SCORE, MACHINA_1, TUTORIAL = (MISSIONS[name] for name in ("arena", "four_score", "machina_1", "tutorial"))
NAMES = [variant.name for variant in VARIANTS]
LARGE = ("easy_large_hearts", "machina_200_stations")
STEPS = 50


def some(names: "list[str]") -> list:
    return [pytest.param(name, marks=pytest.mark.slow if name in LARGE else ()) for name in names]


def run(env: MettaGridConfig, steps: int = STEPS, seed: int = 5) -> Simulation:
    """Random moves; returns the simulation after them."""
    if getattr(env.game.map_builder, "seed", 0) is None:
        env.game.map_builder.seed = seed
    sim = Simulation(env, seed=seed)
    rng = np.random.default_rng(seed)
    moves = [name for name in sim.action_names if not name.startswith("change_vibe_")]
    for _ in range(steps):
        for agent in sim.agents():
            agent.set_action(str(rng.choice(moves)))
        sim.step()
    return sim


def built(env: MettaGridConfig, seed: int = 5) -> GameMap:
    builder = env.game.map_builder.model_copy(update={"seed": seed})
    return builder.create().build_for_num_agents(env.game.num_agents)


@pytest.mark.parametrize("name", some(list(MISSIONS)))
def test_a_mission_runs_with_its_own_number_of_cogs(name: str) -> None:
    mission = MISSIONS[name]
    env = mission.make_env()
    assert env.label == name
    assert env.game.num_agents == mission.num_cogs
    assert mission.min_cogs <= env.game.num_agents <= mission.max_cogs
    if isinstance(mission, DrawnMission):
        assert count_drawn(env.game.map_builder, "agent") == env.game.num_agents
    assert run(env).current_step == STEPS


@pytest.mark.parametrize("name", some([name for name in MISSIONS if name != "empty"]))
def test_every_mission_has_a_reachable_place_to_score(name: str) -> None:
    """The place to score can be used: a junction that the hub reaches, or the goal."""
    env = MISSIONS[name].make_env()
    if getattr(env.game.map_builder, "seed", 0) is None:
        env.game.map_builder.seed = 5
    grid = env.game.map_builder.create().build_for_num_agents(env.game.num_agents).grid
    if "junction" not in env.game.objects:
        assert np.isin(grid, ["memory_goal_reward", "goal", "hub"]).any()
        return
    junctions = np.argwhere(grid == "junction")
    for item in env.game.objects.values():
        if item.name == "hub":
            (hub,) = np.argwhere(grid == item.map_name)
            assert (((junctions - hub) ** 2).sum(axis=1) <= 25**2).any()
            prefix = item.map_name.removesuffix("hub")
            assert all((grid == f"{prefix}{role}").sum() == 1 for role in ("aligner", "scrambler", "miner", "scout"))


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_runs_on_arena_and_alone(name: str) -> None:
    run(ARENA.with_variants([name]).make_env())
    run(MISSIONS["empty"].with_variants([name]).make_env())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the filter names the tag 'team.cogs'")  # adaptive_clips counts no other team
@pytest.mark.filterwarnings("ignore:.*on_after_use_handler.* vibe '(heart|default)'")  # clear_vibes without vibes
@pytest.mark.parametrize("number", range(200))
def test_variants_run_together(number: int) -> None:
    """Combinations by chance: they run, or are refused in one sentence."""
    rng = random.Random(number)
    names = rng.sample(NAMES, rng.randint(2, 5))
    mission = rng.choice([MISSIONS["empty"], ARENA, TUTORIAL, MACHINA_1])
    try:
        env = mission.with_variants(names).make_env()
    except (VariantConflict, CogsError) as refusal:
        assert "\n" not in str(refusal)
        return
    loaded = MettaGridConfig.model_validate_json(env.model_dump_json())
    if "forced_role_vibes" in names:
        loaded.game.vibe_names = env.game.vibe_names  # a file keeps the names that the action can set, here none
    assert loaded == env
    assert [str(problem) for problem in check_mission(env, seed=number) if not problem.is_warning] == []
    run(env)


def test_numbers_of_the_game() -> None:
    assert [mission.name for mission in GAME.missions] == ["empty", "machina_1", "arena", "tutorial", "four_score"]
    assert len(GAME.eval_missions) == 33
    assert {name: len(members) for name, members in GAME.mission_sets.items()} == {
        "cvc_evals": 15,
        "role_specific_evals": 4,
        "diagnostic_evals": 13,
        "integrated_evals": 1,
        "spanning_evals": 10,
        "tournament": 14,
        "cognitive_substrate_evals": 9,
        "cognitive_substrate_memory": 3,
        "cognitive_substrate_exploration": 3,
        "cognitive_substrate_planning": 3,
        "eval_missions": 33,
        "training_maps": 14,
        "all": 44,
    }
    cogs = {name: (item.num_cogs, item.min_cogs, item.max_cogs, item.max_steps) for name, item in MISSIONS.items()}
    assert cogs["machina_1"] == (8, 8, 8, 10000)
    assert cogs["arena"] == (8, 1, 20, 1000)
    assert cogs["tutorial"] == (4, 1, 4, 1000)
    assert cogs["four_score"] == (32, 4, 80, 10000)
    assert cogs["empty"] == (8, 1, 8, 1000)
    assert cogs["eval_balanced_spread"] == (8, 8, 8, 10000)
    assert cogs["extractor_hub_50x50"] == (7, 7, 7, 10000)


ORDER = (
    "vibes team elements team_hub hub_observations buildings junction clips territory damage heart team_junction "
    "junction_deposit energy cargo_limit extractors gear aligner_role scrambler_role miner_role scout_role solar days "
    "team_gear_stations damage_strangers heal_team machina_1"
).split()
TUTORIAL_ORDER = (
    "team vibes elements team_hub hub_observations buildings junction territory extractors damage gear team_junction "
    "aligner_role scrambler_role miner_role energy scout_role solar days team_gear_stations heal_team heart tutorial"
).split()


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("machina_1", ORDER),
        ("tutorial", TUTORIAL_ORDER),
        ("four_score", [*ORDER, "no_clips", "machina_terrain", "four_score"]),
    ],
)
def test_the_order_of_variants(name: str, order: list[str]) -> None:
    registry = VariantRegistry()
    registry.run_configure([name], ("cogsguard",))
    assert registry.configured_names() == order


def test_tags_of_the_arena() -> None:
    assert (
        ARENA.make_env().game.id_map().tag_names()
        == (
            "clips:ship:0 clips:ship:1 clips:ship:2 clips:ship:3 net:clips net:cogs team:clips team:cogs type:agent "
            "type:aligner type:carbon_extractor type:germanium_extractor type:hub type:junction type:miner "
            "type:oxygen_extractor type:scout type:scrambler type:ship type:silicon_extractor type:wall"
        ).split()
    )


@pytest.mark.parametrize(
    ("mission", "shape", "hubs"),
    [
        (ARENA, (60, 60), {"c:hub": (29, 29)}),
        (MACHINA_1, (98, 98), {"c:hub": (48, 48), "clips:ship:0": (6, 6), "clips:ship:3": (91, 91)}),
        (TUTORIAL, (45, 45), {}),
        (FOUR_SCORE, (130, 130), {"red:hub": (34, 34), "blu:hub": (34, 94), "gre:hub": (94, 34), "yel:hub": (94, 94)}),
    ],
    ids=lambda item: getattr(item, "name", ""),
)
def test_places_on_the_map(mission: CoGameMission, shape: tuple[int, int], hubs: dict[str, tuple[int, int]]) -> None:
    grid = built(mission.make_env()).grid
    assert grid.shape == shape
    for name, place in hubs.items():
        (cell,) = np.argwhere(grid == name).tolist()
        assert abs(cell[0] - place[0]) <= 1 and abs(cell[1] - place[1]) <= 1, (name, cell)


def test_four_teams_share_the_cogs() -> None:
    for cogs in (32, 8, 4):
        env = FOUR_SCORE.with_cogs(cogs).make_env()
        assert [agent.team_id for agent in env.game.agents] == [team for team in range(4) for _ in range(cogs // 4)]
        assert np.char.startswith(built(env).grid, "agent.team_").sum() == cogs
    sim = run(FOUR_SCORE.make_env(), steps=3)
    assert "four_score/aligned.junction.held.avg" in sim.episode_stats["game"]
    with pytest.raises(CogsError, match="10 cogs cannot be divided equally among 4 teams"):
        FOUR_SCORE.with_cogs(10).make_env()


def test_two_teams_have_a_copy_of_the_map_each() -> None:
    env = ARENA.with_variants(["multi_team"]).make_env()
    assert env.game.num_agents == 16
    grid = built(env).grid
    assert (grid == "cogs_green:hub").sum() == (grid == "cogs_blue:hub").sum() == 1
    assert (grid == "agent.team_0").sum() == (grid == "agent.team_1").sum() == 8


def test_team_sizes() -> None:
    env = ARENA.with_variants([TeamVariant(team_sizes={"cogs": 3})]).make_env()
    assert env.game.num_agents == 3
    with pytest.raises(ValueError, match="team_sizes names the team 'dogs'; the teams are: cogs"):
        ARENA.with_variants([TeamVariant(team_sizes={"dogs": 3})]).make_env()


def test_the_seed_of_the_map_can_be_fixed() -> None:
    env = ARENA.with_variants([MapSeedVariant(seed=9)]).make_env()
    assert env.game.map_builder.seed == 9


def test_the_number_of_cogs_reaches_the_map() -> None:
    env = ARENA.with_cogs(12).make_env()
    assert (built(env).grid == "agent.agent").sum() == env.game.num_agents == 12


def test_terrain_variants_need_a_procedural_map() -> None:
    with pytest.raises(VariantConflict, match="'desert' does not fit the mission 'vanilla_small'"):
        MISSIONS["vanilla_small"].with_variants(["desert"]).make_env()


@pytest.mark.parametrize("mission", [ARENA, MACHINA_1], ids=lambda mission: mission.name)
def test_clips_without_opposition_take_four_junctions_at_a_time(mission: CoGameMission) -> None:
    env = mission.with_variants([MapSeedVariant(seed=42)]).make_env()
    sim = Simulation(env, seed=1)
    held = {}
    for step in range(1, 1001):
        sim.step()
        held[step] = sim.episode_stats["game"]["clips/aligned.junction.held"]
    gains = [held[step] - held[step - 1] for step in (99, 100, 299, 300, 499, 500)]
    assert gains == [0, 4, 4, 8, 8, 12]
    if mission is MACHINA_1:  # on a small map a ship may run out of junctions
        assert held[1000] == 10_020


def test_both_forms_of_the_events_play_the_same_episode() -> None:
    for variants in ([], ["angry_clips"]):
        env = ARENA.with_variants([MapSeedVariant(seed=3), *variants]).make_env()
        published = MettaGridConfig.model_validate(env.to_published())
        stats = [run(config, steps=620).episode_stats["game"] for config in (env, published)]
        assert stats[0] == stats[1]
        assert stats[0]["clips/aligned.junction.held"] > 0
