"""Events that try the nearest targets first: their meaning, and that both forms play the same episode."""

import json
from typing import Any

import numpy as np
import pytest

from mettagrid.compiler import CompileError, cache, compile, events
from mettagrid.config.event_config import EventConfig, NearestFirst, lower_events
from mettagrid.config.filter import hasTag, isNot
from mettagrid.config.handler_config import updateTarget
from mettagrid.config.mettagrid_config import GridObjectConfig, InventoryConfig, MettaGridConfig
from mettagrid.config.mutation import addTag
from mettagrid.config.query import query
from mettagrid.simulator import Simulation

ROWS = [
    "#" * 20,
    *("#" + row + "#" for row in ("o..o..o..s.o..o..o", ".o....o....o..o.o.", "@.o..o...o...o..o.")),
    "#" * 20,
]


def game(**event: Any) -> MettaGridConfig:
    config = MettaGridConfig.EmptyRoom(num_agents=1, with_walls=True)
    config.with_ascii_map("\n".join(ROWS), {"o": "stone", "s": "star"})
    config.game.resource_names = ["light"]
    config.game.tags = ["lit"]
    config.game.objects["stone"] = GridObjectConfig(name="stone", inventory=InventoryConfig(initial={"light": 0}))
    config.game.objects["star"] = GridObjectConfig(name="star")
    settings: dict[str, Any] = {
        "name": "shine",
        "target_query": query("type:stone", [isNot(hasTag("lit"))]),
        "timesteps": list(range(1, 15)),
        "mutations": [addTag("lit"), updateTarget({"light": 1})],
        "max_targets": 1,
        "nearest": NearestFirst(to="type:star", within=6),
    }
    config.game.events["shine"] = EventConfig(**{**settings, **event})
    return config


def lit(config: MettaGridConfig, seed: int) -> list[list[tuple[int, int]]]:
    """The stones that are lit after each step."""
    sim = Simulation(config, seed=seed)
    number = config.game.id_map().tag_names().index("lit")
    history = []
    for _ in range(16):
        sim.agent(0).set_action("noop")
        sim.step()
        history.append(sorted((o["r"], o["c"]) for o in sim.grid_objects().values() if number in o["tag_ids"]))
    return history


FORMS = [
    {},
    {"max_targets": 2},
    {"max_targets": None},
    {"target_query": "type:stone"},
    {"nearest": NearestFirst(to=query("type:stone", [hasTag("lit")]), within=4), "fallback": "first"},
]


@pytest.mark.parametrize("changes", FORMS)
def test_both_forms_play_the_same_episode(changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """With a search for the nearest targets, as a chain of events, and as a chain that is compiled to a search."""
    config = game(**changes)
    config.game.events["first"] = EventConfig(target_query="type:stone", mutations=[addTag("lit")], max_targets=1)
    published = MettaGridConfig.model_validate(config.to_published())
    assert all(event.nearest is None for event in published.game.events.values())
    searched = compile(published)
    expected = [lit(config, seed) for seed in range(5)]
    assert [lit(published, seed) for seed in range(5)] == expected
    monkeypatch.setattr(events, "find_chains", lambda events: {})
    cache._programs.clear()
    assert len(compile(published).native.words) > len(searched.native.words)
    assert [lit(published, seed) for seed in range(5)] == expected
    assert expected[-1][-1]


def test_the_nearest_ring_comes_first() -> None:
    star = (1, 10)
    history = lit(game(), 3)
    order = [
        next(iter(set(after) - set(before)))
        for before, after in zip([[], *history], history, strict=False)
        if before != after
    ]
    rings = [int(np.ceil(np.hypot(row - star[0], column - star[1]))) for row, column in order]
    assert rings == sorted(rings) and rings[-1] <= 6


def test_the_chain_keeps_names_and_ends_in_the_fallback() -> None:
    event = game().game.events["shine"].model_copy(update={"fallback": "other"})
    lowered = lower_events({"shine": event})
    assert list(lowered) == ["shine_r6", "shine_r5", "shine_r4", "shine_r3", "shine_r2", "shine"]
    assert [item.fallback for item in lowered.values()] == ["other", *list(lowered)[:-1]]
    assert [item.name for item in lowered.values()] == list(lowered)
    assert [bool(item.timesteps) for item in lowered.values()] == [False] * 5 + [True]


def test_a_key_that_the_chain_needs_must_be_free() -> None:
    config = game()
    config.game.events["shine_r3"] = EventConfig(target_query="type:stone")
    with pytest.raises(CompileError, match="needs the name 'shine_r3', which another event has"):
        compile(config)
    with pytest.raises(CompileError, match=r"events\.shine\.nearest\.within: 5000 is outside 1\.\.1000"):
        compile(game(nearest=NearestFirst(to="type:star", within=5000)))


def test_the_key_is_written_only_where_it_is_used() -> None:
    config = game()
    assert json.loads(config.model_dump_json())["game"]["events"]["shine"]["nearest"]["within"] == 6
    assert MettaGridConfig.model_validate_json(config.model_dump_json()) == config
    assert "nearest" not in EventConfig(target_query="t").model_dump()
