"""Owners of cells under strong claims, and claims that run out. The published engine adds scores in 64 bits as well."""

import math
import random

import pytest

from mettagrid.compiler.errors import CompileError
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import actorHasTag
from mettagrid.config.handler_config import Handler, updateTarget
from mettagrid.config.mettagrid_config import GridObjectConfig, WallConfig
from mettagrid.config.mutation import RaycastSpawnMutation, ResourceTransferMutation
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.mettagrid_c import MettaGrid

LEGEND = {"@": "agent.agent", "r": "red", "b": "blue"}
INT32_MAX = 2**31 - 1


def claims(strength, decay=1):
    return [TerritoryControlConfig(territory="land", strength=strength, decay=decay)]


@pytest.fixture
def owners(game):
    """The team that owns the cell of each agent; `red` and `blue` are the strength and decay of `r` and `b`."""

    def owners(drawn, *, red, blue):
        objects = {
            name: GridObjectConfig(name=name, tags=[f"team:{name}"], territory_controls=claims(*rule))
            for name, rule in (("red", red), ("blue", blue))
        }
        pay = {
            name: Handler(filters=[actorHasTag(f"team:{name}")], mutations=[updateTarget({item: 1})])
            for name, item in (("red", "gold"), ("blue", "ore"))
        }
        land = {"land": TerritoryConfig(tag_prefix="team:", presence=pay)}
        config = game(drawn, objects=objects, territories=land)
        engine = MettaGrid(config, [[LEGEND[char] for char in drawn]], 0)
        engine.step()
        paid = [thing["inventory"] for thing in engine.grid_objects().values() if "agent_id" in thing]
        return "".join("r" if 0 in held else "b" if 1 in held else "." for held in paid)

    return owners


@pytest.mark.parametrize("strength", [1_000_000, 2**21 - 1, 2**21, 2**21 + 1, 2**22, 2**30, INT32_MAX])
def test_a_strong_claim_reaches_as_far_as_its_decay_lets_it(owners, strength):
    assert owners("r@@@@@b", red=(strength, strength // 3 + 1), blue=(1, 1)) == "rr..."
    assert owners("r@@@@@b", red=(strength, strength // 3 + 1), blue=(5, 1)) == "rrbbb"
    assert owners("r@@@@@b", red=(strength, strength // 5), blue=(strength, strength // 5)) == "rr.bb"


@pytest.mark.parametrize("strength", [1_000_000, 1_500_000, 2**22, 2**30])
def test_scores_of_many_strong_claims_add_up(owners, strength):
    """In 32 bits the sum of the two or three scores would wrap around and the weaker team would win."""
    assert owners("rr@@@@b", red=(strength, 1), blue=(strength, 1)) == "rrrr"
    assert owners("rr@@@bbb", red=(strength, 1), blue=(strength, 1)) == "bbb"
    assert owners("rr@@@bb", red=(strength, strength // 9), blue=(strength, strength // 9)) == "r.b"


def expected(drawn, red, blue):
    """The owners by the formula, claim by claim."""
    found = []
    for at in (i for i, char in enumerate(drawn) if char == "@"):
        totals = {"r": 0, "b": 0}
        for i, char in enumerate(drawn):
            strength, decay = red if char == "r" else blue
            if char in totals and abs(i - at) <= strength // decay:
                totals[char] += max(0, strength * 1024 - decay * math.isqrt((i - at) ** 2 << 20))
        found.append("." if totals["r"] == totals["b"] else max(totals, key=lambda char: totals[char]))
    return "".join(found)


@pytest.mark.parametrize(
    ("red", "blue"), [((5, 1), (7, 2)), ((64, 1), (65, 1)), ((9, 4), (200, 2)), ((2**20, 9000), (7, 1))]
)
@pytest.mark.parametrize("seed", range(3))
def test_owners_are_those_of_the_sums_of_all_claims(owners, red, blue, seed):
    """Few and many claims (more than 128 reach a cell), with and without stored scores."""
    rng = random.Random(seed)
    for length in (12, 250):
        drawn = "".join(rng.sample("@" * 8 + "".join(rng.choices("rb", k=length)), length + 8))
        assert owners(drawn, red=red, blue=blue) == expected(drawn, red, blue)


def test_a_claim_that_reaches_beyond_the_map_owns_all_of_it(owners):
    assert owners("@@@r@@@b", red=(INT32_MAX, 1), blue=(1, 1)) == "r" * 6


@pytest.mark.parametrize("rule", [(INT32_MAX + 1, 1), (1, INT32_MAX + 1)])
def test_a_strength_or_decay_that_does_not_fit_is_refused(owners, rule):
    with pytest.raises(CompileError, match=r"territory_controls.*2147483648.*2147483647"):
        owners("r@b", red=rule, blue=(1, 1))


@pytest.fixture
def spawning(game):
    """A world in which a wall spawns a box with a claim in every step, and every box is removed in the next one.

    The crates are removed in the first step; the slots of `crates` are free for boxes then.
    """

    def spawning(*corrections, crates=0):
        always = list(range(1, 2000))
        spawn = RaycastSpawnMutation(object_type="box", directions=["east"], max_range=1)
        empty = ResourceTransferMutation(
            from_target="target", to_target="actor", resources={"gold": 1}, remove_source_when_empty=True
        )
        events = {
            "fill": EventConfig(name="fill", target_query="type:wall", timesteps=always, mutations=[spawn]),
            "clear": EventConfig(
                name="clear", target_query="type:box", timesteps=always, priority=-1, mutations=[empty]
            ),
            "open": EventConfig(name="open", target_query="type:crate", timesteps=[1], mutations=[empty]),
        }
        box = GridObjectConfig(name="box", tags=["team:red"], territory_controls=claims(2))
        config = game(
            "@",
            max_steps=0,
            objects={"wall": WallConfig(), "box": box, "crate": GridObjectConfig(name="crate")},
            events=events,
            territories={"land": TerritoryConfig(tag_prefix="team:")},
        )
        row = ["wall", "empty", "agent.agent", *["crate"] * crates]
        return MettaGrid(config, [row], 0, corrections={"spawned_objects", *corrections})

    return spawning


REMEDY = r"add the correction 'removed_territory', or spawn fewer objects with `territory_controls`\.$"


def test_running_out_of_claims_names_claims_and_the_remedy(spawning):
    engine = spawning(crates=5)
    told = (
        r"^The world has no room for another territory claim: all 264 are in use\. Removed objects keep their claims; "
    )
    with pytest.raises(RuntimeError, match=told + REMEDY):
        for _ in range(1000):
            engine.step()


def test_running_out_of_slots_that_claims_hold_names_claims_and_the_remedy(spawning):
    engine = spawning()
    told = (
        r"^The world has no room for another object: 259 removed objects keep their territory claims and their slots; "
    )
    with pytest.raises(RuntimeError, match=told + REMEDY):
        for _ in range(1000):
            engine.step()


def test_the_remedy_works(spawning):
    engine = spawning("removed_territory", crates=5)
    for _ in range(1000):
        engine.step()
    assert engine.current_step == 1000
