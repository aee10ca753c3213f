"""The generator of random games, without any engine."""

import json
from collections import Counter

import pytest

from tests.compat.generator import FAMILIES, random_case
from tests.compat.generator.filters import WEIGHTS as FILTERS
from tests.compat.generator.mutations import WEIGHTS as MUTATIONS
from tests.compat.generator.queries import WEIGHTS as QUERIES

SEEDS = range(300)
ORACLE_FAMILIES = """move move_handlers use_chain obs_window obs_global obs_vision obs_radius filter_entity filter_logic
handler_tree on_tick limits modifiers limit_cascade transfers tags materialize closures raycasts query_order game_values
rewards stats events event_motion spawning aoe_static aoe_mobile aoe_presence territory territory_obs teams ending
no_effect mixed""".split()


def dicts(node):
    if isinstance(node, dict):
        yield node
        for child in node.values():
            yield from dicts(child)
    elif isinstance(node, list):
        for child in node:
            yield from dicts(child)


def value_kind(node: dict) -> str | None:
    """Return which of the nine game values a dictionary is, by its shape."""
    keys = set(node)
    if "$type" in keys:
        return node["$type"]
    shapes = [
        ("sum", {"values"}, {"values", "weights", "log"}),
        ("ratio", {"numerator", "denominator"}, {"numerator", "denominator"}),
        ("query inventory", {"query", "item"}, {"query", "item"}),
        ("query count", {"query"}, {"query"}),
        ("inventory", {"item"}, {"item", "scope"}),
        ("stat", {"name", "scope"}, {"name", "scope", "delta"}),
        ("const", {"value"}, {"value"}),
    ]
    return next((kind for kind, required, permitted in shapes if required <= keys <= permitted), None)


@pytest.fixture(scope="module")
def cases():
    return [random_case(seed) for seed in SEEDS]


def test_the_same_seed_gives_the_same_game(cases):
    assert [random_case(seed).texts() for seed in SEEDS[:40]] == [case.texts() for case in cases[:40]]


def test_different_seeds_give_different_games(cases):
    assert len({case.texts() for case in cases}) == len(cases)


def test_games_are_plain_json(cases):
    for case in cases:
        config, meta = case.texts()
        assert json.loads(config) == case.config
        assert set(json.loads(meta)) == {"seed", "steps", "action_seed", "family"}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_can_be_chosen(family):
    assert random_case(1, family).meta["family"] == family


def test_every_family_of_the_oracle_is_generated():
    assert set(ORACLE_FAMILIES) <= set(FAMILIES)


def test_every_kind_of_rule_appears_often(cases):
    seen = Counter()
    for case in cases:
        for node in dicts(case.config):
            for key in ("filter_type", "mutation_type", "query_type"):
                if key in node:
                    seen[node[key]] += 1
            seen[value_kind(node)] += 1
    kinds = [*FILTERS, *MUTATIONS, *QUERIES]
    kinds += ["inventory", "stat", "const", "query inventory", "query count", "sum", "ratio"]
    kinds += ["MaxGameValue", "MinGameValue"]
    assert len(FILTERS) == 12 and len(MUTATIONS) == 19 and len(QUERIES) == 4
    assert {kind: seen[kind] for kind in kinds if seen[kind] < 30} == {}


def test_move_handlers_push_diagonally_and_share_names(cases):
    diagonal = shared = 0
    for case in cases:
        move = case.config["game"]["actions"]["move"]
        names = [handler["name"] for handler in move.get("handlers", []) if "name" in handler]
        shared += len(names) > len(set(names))
        pushes = '"push_object"' in json.dumps(case.config)
        diagonal += pushes and any(len(direction) > 5 for direction in move.get("allowed_directions", []))
    assert diagonal >= 20 and shared >= 3


def test_games_are_small(cases):
    for case in cases:
        game = case.config["game"]
        rows = game["map_builder"]["map_data"]
        assert 6 <= len(rows) <= 20 and all(6 <= len(row) <= 20 for row in rows)
        assert 1 <= game["num_agents"] <= 12
        assert 25 <= case.meta["steps"] <= 60


def test_configs_that_crash_the_published_engine_are_not_generated(cases):
    for case in cases:
        game = case.config["game"]
        obs = game["obs"]
        assert obs["height"] % 2 == 1
        assert not ("observation_radius_value" in obs and obs.get("territory"))
        for name, event in game.get("events", {}).items():
            seen = {name}
            while (name := event.get("fallback")) in game["events"]:
                assert name not in seen, "a cycle of fallbacks never ends"
                seen.add(name)
                event = game["events"][name]
