"""Invariants that hold after any actions, valid or not."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.compiler import compile
from mettagrid.compiler.window import window_cells
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import actorHas, hasTag, isA, isNot
from mettagrid.config.game_value import inv
from mettagrid.config.handler_config import (
    AOEConfig,
    FirstMatch,
    Handler,
    addTag,
    deposit,
    queryPlaceAdjacent,
    recomputeMaterializedQuery,
    removeTag,
    updateActor,
    updateTarget,
    withdraw,
)
from mettagrid.config.mettagrid_config import (
    ActionsConfig,
    AgentConfig,
    AgentReward,
    GameConfig,
    GridObjectConfig,
    InventoryConfig,
    MoveActionConfig,
    ObsConfig,
    ResourceLimitsConfig,
    WallConfig,
)
from mettagrid.config.mutation import PushObjectMutation, RaycastSpawnMutation, SwapMutation
from mettagrid.config.obs_config import GlobalObsConfig
from mettagrid.config.query import MaterializedQuery, query
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.mettagrid_c import MettaGrid

MAP = """
#########
#@..c..@#
#.r...p.#
#.p.c.r.#
#@..p..@#
#########
"""
NAMES = {"#": "wall", ".": "empty", "c": "chest", "r": "crate", "p": "pillar"}
AGENTS = 4
BAG, POUCH = ("gold", "ore"), ("heart",)


def rich_game():
    """Pushing, swapping, spawning, removing, tagging, limits with modifiers, areas, territory, events."""
    limits = {
        "bag": ResourceLimitsConfig(base=6, max=20, resources=list(BAG), modifiers={"heart": 5}),
        "pouch": ResourceLimitsConfig(base=2, resources=list(POUCH)),
    }
    agent = AgentConfig(
        tags=["team:cogs"],
        inventory=InventoryConfig(default_limit=9, limits=limits, initial={"gold": 4, "heart": 1}),
        rewards={"gold": AgentReward(reward=inv("gold"))},
        on_tick=FirstMatch(
            handlers=[
                Handler(filters=[actorHas({"heart": 2})], mutations=[updateActor({"heart": -1, "dust": 1})]),
                Handler(mutations=[updateActor({"ore": 1})]),
            ]
        ),
        on_use_handler=Handler(mutations=[SwapMutation()]),
        territory_controls=[TerritoryControlConfig(territory="land", strength=2)],
    )
    chest = GridObjectConfig(
        name="chest",
        tags=["shut"],
        inventory=InventoryConfig(initial={"gold": 3, "heart": 2}, default_limit=30),
        on_use_handler=FirstMatch(
            handlers=[
                Handler(filters=[hasTag("shut")], mutations=[removeTag("shut"), deposit({"ore": 2})]),
                Handler(mutations=[addTag("shut"), withdraw({"gold": 1, "heart": 1}, remove_when_empty=True)]),
            ]
        ),
        on_tag_remove={"shut": Handler(mutations=[updateTarget({"gold": 1})])},
        aoes={"glow": AOEConfig(radius=2, presence_deltas={"gold": 1}, mutations=[updateTarget({"dust": 1})])},
    )
    crate = GridObjectConfig(name="crate", on_use_handler=Handler(mutations=[PushObjectMutation()]))
    pillar = GridObjectConfig(
        name="pillar",
        tags=["team:clips"],
        blocks_vision=True,
        on_use_handler=Handler(
            mutations=[RaycastSpawnMutation(object_type="crate", max_range=1), recomputeMaterializedQuery("marked")]
        ),
        territory_controls=[TerritoryControlConfig(territory="land", strength=3)],
    )
    events = {
        "rain": EventConfig(
            name="rain",
            target_query="type:chest",
            timesteps=list(range(2, 40, 3)),
            max_targets=1,
            filters=[isNot(hasTag("shut"))],
            mutations=[updateTarget({"heart": 1}), addTag("shut")],
            fallback="home",
        ),
        "home": EventConfig(
            name="home",
            target_query=query("type:agent", [actorHas({"gold": 6})]),
            mutations=[queryPlaceAdjacent(query("type:pillar"))],
        ),
    }
    return GameConfig(
        num_agents=AGENTS,
        max_steps=30,
        resource_names=["gold", "ore", "heart", "dust"],
        tags=["marked:gold"],
        objects={"wall": WallConfig(), "chest": chest, "crate": crate, "pillar": pillar},
        agent=agent,
        actions=ActionsConfig(
            move=MoveActionConfig(
                allowed_directions=["north", "south", "west", "east", "northeast", "southwest"],
                handlers=[Handler(filters=[isA("crate")], mutations=[PushObjectMutation(), updateActor({"dust": 1})])],
            )
        ),
        events=events,
        materialize_queries=[MaterializedQuery(tag="marked:gold", query=query("type:agent", [actorHas({"gold": 1})]))],
        territories={
            "land": TerritoryConfig(
                tag_prefix="team:", presence={"tax": Handler(mutations=[updateTarget({"ore": -1})])}
            )
        },
        obs=ObsConfig(
            width=7,
            height=7,
            num_tokens=200,
            territory=True,
            token_value_base=10,
            global_obs=GlobalObsConfig(local_position=True, last_action_move=True, obs={"gold": inv("gold")}),
        ),
    )


PROGRAM = compile(rich_game(), strict=True)
ROWS = [[NAMES.get(char, "agent.agent") for char in line] for line in MAP.split()]
HEIGHT, WIDTH = len(ROWS), len(ROWS[0])
WINDOW = {cell.location: place for place, cell in enumerate(window_cells(7, 7))}
FEATURES = PROGRAM.feature_names

rows_of_actions = st.lists(
    st.lists(st.integers(-2, 8) | st.sampled_from([157, 2**31 - 1, -(2**31)]), min_size=AGENTS, max_size=AGENTS),
    min_size=1,
    max_size=12,
)
games = st.tuples(st.integers(0, 2**32 - 1), rows_of_actions, rows_of_actions)


def episode(seed, primary, vibes):
    """Plays, cycling through the actions until the episode ends, and yields the world after each step."""
    engine = MettaGrid(PROGRAM, ROWS, seed)
    yield engine
    for step in range(30):
        engine.actions()[:] = primary[step % len(primary)]
        engine.vibe_actions()[:] = vibes[step % len(vibes)]
        engine.step()
        yield engine


def lightly(test):
    return settings(max_examples=20, deadline=None, derandomize=True)(given(games)(test))


@lightly
def test_every_object_stands_alone_on_a_cell_of_the_map(played):
    for engine in episode(*played):
        objects = engine.grid_objects().values()
        places = Counter((thing["r"], thing["c"]) for thing in objects)
        assert max(places.values()) == 1
        assert all(0 <= row < HEIGHT and 0 <= col < WIDTH for row, col in places)
        assert sorted(thing["agent_id"] for thing in objects if "agent_id" in thing) == list(range(AGENTS))
        assert all(thing["location"] == (thing["c"], thing["r"]) for thing in objects)


@lightly
def test_tag_counts_agree_with_the_tags_of_the_objects(played):
    for engine in episode(*played):
        held = Counter(tag for thing in engine.grid_objects().values() for tag in thing["tag_ids"])
        counted = {tag: engine.tag_index().count_objects_with_tag(tag) for tag in range(len(PROGRAM.tag_names))}
        assert {tag: count for tag, count in counted.items() if count} == held


@lightly
def test_what_starts_within_its_limits_stays_within(played):
    gold, ore, heart, _ = range(4)
    for engine in episode(*played):
        for thing in engine.grid_objects().values():
            inventory, limits = Counter(thing["inventory"]), thing["inventory_capacities"]
            assert all(0 < amount <= 65535 for amount in inventory.values())
            if "agent_id" not in thing:
                continue
            assert limits[gold] == limits[ore] == min(20, max(6, 5 * inventory[heart]))
            assert inventory[gold] + inventory[ore] <= limits[gold]
            assert inventory[heart] <= limits[heart] == 2
            assert all(amount <= limits[item] for item, amount in inventory.items())


@lightly
def test_stats_of_resources_add_up(played):
    for engine in episode(*played):
        stats = engine.get_episode_stats()["agent"]
        for thing in engine.grid_objects().values():
            if "agent_id" not in thing:
                continue
            own = stats[thing["agent_id"]]
            for item, name in enumerate(PROGRAM.resource_names):
                initial = {"gold": 4, "heart": 1}.get(name, 0)
                change = own.get(f"{name}.gained", 0) - own.get(f"{name}.lost", 0)
                assert thing["inventory"].get(item, 0) == initial + change
                assert thing["inventory"].get(item, 0) == own.get(f"{name}.amount", 0)


def tokens_of(observation):
    used = observation[:, 1] != 255
    count = int(used.sum())
    assert used[:count].all(), "tokens are contiguous"
    assert (observation[count:] == 255).all(), "unused tokens are all 255"
    return observation[:count].tolist()


@lightly
def test_observations_are_contiguous_and_in_the_order_of_the_window(played):
    for engine in episode(*played):
        for observation in engine.observations():
            locations = [location for location, _, _ in tokens_of(observation)]
            seen = [location for location in locations if location != 0xFE]
            assert locations == [0xFE] * (len(locations) - len(seen)) + seen
            places = [WINDOW[location] for location in seen]
            assert places == sorted(places)
            assert seen[0] == 3 << 4 | 3


@lightly
def test_every_token_shows_something_that_is_there(played):
    for engine in episode(*played):
        at = {(thing["r"], thing["c"]): thing for thing in engine.grid_objects().values()}
        agents = {thing["agent_id"]: thing for thing in at.values() if "agent_id" in thing}
        for agent, observation in enumerate(engine.observations()):
            shown = Counter()
            for location, feature, value in tokens_of(observation):
                if location == 0xFE or FEATURES[feature].startswith("territory:"):
                    continue
                place = agents[agent]["r"] + (location >> 4) - 3, agents[agent]["c"] + (location & 15) - 3
                thing = at[place]
                match FEATURES[feature]:
                    case "tag":
                        assert value in thing["tag_ids"]
                        shown[place] += 1
                    case "vibe":
                        assert value == thing["vibe"]
                    case "agent_id":
                        assert value == thing["agent_id"]
                    case "agent:group":
                        assert value == thing["group_id"] == 0
                    case name:
                        item, _, digit = name.removeprefix("inv:").partition(":p")
                        amount = thing["inventory"][PROGRAM.resource_names.index(item)]
                        assert value == amount // 10 ** int(digit or 0) % 10
            for place, count in shown.items():
                assert count == len(at[place]["tag_ids"])


@lightly
def test_token_stats_count_what_was_written(played):
    written = free = 0
    for engine in episode(*played):
        used = int((engine.observations()[:, :, 1] != 255).sum())
        written += used
        free += AGENTS * 200 - used
        assert engine.get_game_stat("tokens_written") == written
        assert engine.get_game_stat("tokens_free_space") == free
        assert engine.get_game_stat("tokens_dropped") == 0


@lightly
def test_rewards_add_up_to_the_change_of_what_they_pay_for(played):
    for engine in episode(*played):
        if engine.current_step == 0:
            continue
        held = {
            thing["agent_id"]: thing["inventory"] for thing in engine.grid_objects().values() if "agent_id" in thing
        }
        expected = [held[agent].get(0, 0) for agent in range(AGENTS)]
        assert engine.get_episode_rewards().tolist() == expected


@lightly
def test_the_episode_ends_for_all_at_once_and_only_at_its_end(played):
    for engine in episode(*played):
        assert engine.terminals().tolist() == [engine.current_step >= 30] * AGENTS
        assert not engine.truncations().any()


@lightly
def test_the_same_actions_give_the_same_episode(played):
    for first, second in zip(episode(*played), episode(*played), strict=True):
        assert first.observations().tobytes() == second.observations().tobytes()
        assert first.get_episode_stats() == second.get_episode_stats()


def test_the_game_does_what_the_invariants_are_about():
    """Otherwise the invariants would hold trivially, because nothing happens."""
    rng = np.random.default_rng(0)
    happened = Counter()
    for seed in range(5):
        primary = rng.integers(0, 7, (30, AGENTS)).tolist()
        *_, engine = episode(seed, primary, [[0] * AGENTS])
        stats = engine.get_episode_stats()
        for own in stats["agent"]:
            happened.update({name: value for name, value in own.items() if value})
        types = Counter(thing["type_name"] for thing in engine.grid_objects().values())
        happened["crates made"] += types["crate"] > 2
        happened["chests taken"] += types["chest"] < 2
    for name in ("gold.gained", "gold.lost", "heart.lost", "ore.lost", "dust.gained", "ore.deposited", "actions.swap"):
        assert happened[name] > 0, name
    assert happened["crates made"] > 0
