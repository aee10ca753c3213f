"""Tokens of territory borders, for games with few and with many owners: both have their own encoding."""

import math
import random

import pytest

from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig
from mettagrid.config.obs_config import ObsConfig
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.mettagrid_c import MettaGrid

SIZE, REACH = 14, 3
BOXES = [f"box{i}" for i in range(6)]
SIDES = {"territory:north": (-1, 0), "territory:south": (1, 0), "territory:east": (0, 1), "territory:west": (0, -1)}


def place_things(rng, teams):
    """Return (row, column) -> name of the thing there: three agents, and some boxes of each team."""
    cells = rng.sample([(row, col) for row in range(SIZE) for col in range(SIZE)], 3 + 4 * teams)
    names = ["agent.red", "agent.blue", "agent.green", *(BOXES[i % teams] for i in range(4 * teams))]
    return dict(zip(cells, names, strict=True))


def owners_by_formula(things, teams):
    """Return the owning team of each cell, or None."""
    owners = {}
    for row in range(SIZE):
        for col in range(SIZE):
            totals = [0] * teams
            for (there, across), name in things.items():
                squared = (row - there) ** 2 + (col - across) ** 2
                if name.startswith("box") and squared <= REACH**2:
                    totals[int(name[3:])] += max(0, REACH * 1024 - math.isqrt(squared << 20))
            best = max(totals)
            owners[row, col] = totals.index(best) if best > 0 and totals.count(best) == 1 else None
    return owners


def expected_tokens(owners, cell, own_teams, offsets, features):
    """Return {(location, feature, value)} of an observer on a cell who has the tags of some teams."""

    def label(owner):
        return 0 if owner is None else 1 if owner in own_teams else 2

    tokens, window = set(), set(offsets)
    for dr, dc in offsets:
        here = (cell[0] + dr, cell[1] + dc)
        if here not in owners:
            continue
        for name, (down, right) in SIDES.items():
            there = (here[0] + down, here[1] + right)
            if there not in owners or (dr + down, dc + right) not in window or owners[here] == owners[there]:
                continue
            value = 3 * label(owners[here]) + label(owners[there])
            if value != 4:
                tokens.add(((dr + 5) << 4 | (dc + 5), features.index(name), value))
    return tokens


@pytest.mark.usefixtures("processor_level")
@pytest.mark.parametrize("teams", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_borders_are_shown_as_the_rules_say(game, teams, seed):
    things = place_things(random.Random(seed), teams)
    control = [TerritoryControlConfig(territory="land", strength=REACH)]
    boxes = {
        name: GridObjectConfig(name=name, tags=[f"team:{name[3:]}"], territory_controls=control)
        for name in BOXES[:teams]
    }
    own_teams = {"agent.red": [0], "agent.blue": [], "agent.green": list(range(min(2, teams)))}
    agents = [AgentConfig(tags=[f"team:{i}" for i in own], team_id=i) for i, own in enumerate(own_teams.values())]
    config = game(
        "@@@",
        agents=agents,
        objects=boxes,
        territories={"land": TerritoryConfig(tag_prefix="team:")},
        obs=ObsConfig(width=11, height=11, num_tokens=500, territory=True),
    )
    engine = MettaGrid(config, [[things.get((row, col), "empty") for col in range(SIZE)] for row in range(SIZE)], 0)
    engine.step()
    owners, features = owners_by_formula(things, teams), engine.program.feature_names
    numbers = [features.index(name) for name in SIDES]
    for thing in engine.grid_objects().values():
        if "agent_id" not in thing:
            continue
        cell = thing["r"], thing["c"]
        shown = {tuple(token) for token in engine.observations()[thing["agent_id"]].tolist() if token[1] in numbers}
        assert shown == expected_tokens(owners, cell, own_teams[things[cell]], engine.program.visible_offsets, features)
