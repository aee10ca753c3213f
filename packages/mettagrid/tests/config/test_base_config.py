"""The base class: strict and lenient reading, overrides."""

from typing import Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from mettagrid.base_config import LENIENT_CONTEXT, Config, ConfigStrEnum
from mettagrid.config.action_config import ChangeVibeActionConfig
from mettagrid.config.mettagrid_config import MettaGridConfig


class Part(Config):
    amount: int = 1
    names: dict[str, int] = Field(default_factory=dict)


class NeedsName(Config):
    name: str


class Whole(Config):
    size: int = Field(default=1, ge=0)
    part: Part = Field(default_factory=Part)
    spare: Part | None = None
    unmakeable: NeedsName | None = None
    either: int | Part | None = None
    counts: dict[str, int] = Field(default_factory=dict)
    parts: dict[str, Part] = Field(default_factory=dict)
    tables: dict[str, dict[str, int]] = Field(default_factory=dict)
    numbers: list[int] = Field(default_factory=list)
    anything: Any = None


class Tree(Config):
    """A class that contains itself."""

    value: int = 0
    children: list["Tree"] = Field(default_factory=list)


def test_unknown_keys_are_refused_at_every_level() -> None:
    with pytest.raises(ValidationError, match=r"game\.obs\.zz"):
        MettaGridConfig.model_validate({"game": {"obs": {"zz": 1}}})


DEEP = {
    "zz": 1,
    "game": {
        "zz": 1,
        "obs": {"zz": 1, "width": 7},
        "objects": {
            "o": {
                "name": "a",
                "zz": 1,
                "on_use_handler": {
                    "handler_type": "first_match",
                    "zz": 1,
                    "handlers": [
                        {"name": "x", "zz": 1, "filters": [{"filter_type": "periodic", "period": 3, "zz": 1}]}
                    ],
                },
            }
        },
        "events": {"e": {"target_query": {"query_type": "query", "source": "t", "zz": 1}, "zz": 1}},
        "agent": {"rewards": {"r": {"reward": {"item": "ore_red", "zz": 1}, "zz": 1}}},
        "actions": {"change_vibe": {"vibes": [{"symbol": "x", "name": "y", "zz": 1}]}},
        "map_builder": {"type": "mettagrid.map_builder.random_map.RandomMapBuilder.Config", "width": 3, "zz": 1},
    },
}


def test_lenient_reading_drops_unknown_keys_at_every_level() -> None:
    config = MettaGridConfig.model_validate(DEEP, context=LENIENT_CONTEXT)
    assert config.game.obs.width == 7
    assert config.game.objects["o"].on_use_handler.handlers[0].filters[0].period == 3
    assert config.game.agent.rewards["r"].reward.item == "ore_red"
    assert config.game.vibe_names == ["y"]
    assert config.game.map_builder.width == 3
    assert "zz" not in config.model_dump_json()


def test_lenient_reading_works_inside_other_models_and_type_adapters() -> None:
    class Job(BaseModel):
        env: MettaGridConfig

    assert Job.model_validate({"env": DEEP}, context=LENIENT_CONTEXT).env.game.obs.width == 7
    assert TypeAdapter(list[Part]).validate_python([{"zz": 1}], context=LENIENT_CONTEXT) == [Part()]


def test_lenient_reading_of_json_text() -> None:
    text = '{"vibes": [{"symbol": "x", "name": "y", "later": 2}], "zz": 1}'
    assert [vibe.name for vibe in ChangeVibeActionConfig.model_validate_json(text, context=LENIENT_CONTEXT).vibes] == [
        "y"
    ]


@pytest.mark.parametrize("text", ["", "{", "[1", b"\xff", "nope"])
def test_text_that_is_no_json_is_a_validation_error(text: str) -> None:
    with pytest.raises(ValidationError):
        MettaGridConfig.model_validate_json(text)


def test_lenient_reading_still_refuses_wrong_values() -> None:
    with pytest.raises(ValidationError):
        MettaGridConfig.model_validate({"game": {"num_agents": 0}}, context=LENIENT_CONTEXT)


@pytest.mark.parametrize(
    ("path", "value", "stored"),
    [
        ("size", "7", 7),
        ("part.amount", "5", 5),
        ("part", {"amount": 3}, Part(amount=3)),
        ("spare.amount", 4, 4),
        ("spare", None, None),
        ("counts.k", "5", 5),
        ("counts.a.b", 4, 4),
        ("counts", {"a": "3"}, {"a": 3}),
        ("parts.k.amount", 4, 4),
        ("parts.k", {"amount": 4}, Part(amount=4)),
        ("part.names.a.b", 3, 3),
        ("tables.k", {"m": 4}, {"m": 4}),
        ("numbers", [1, "2"], [1, 2]),
        ("anything", object, object),
    ],
)
def test_override_sets_and_converts_the_value(path: str, value: object, stored: object) -> None:
    whole = Whole()
    assert whole.override(path, value) is whole
    assert look_up(whole, path) == stored


def look_up(whole: Any, path: str) -> Any:
    here, parts = whole, path.split(".")
    while parts:
        if isinstance(here, dict):
            key = ".".join(parts) if ".".join(parts) in here else parts[0]
            here, parts = here[key], parts[len(key.split(".")) :]
        else:
            here, parts = getattr(here, parts[0]), parts[1:]
    return here


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("size", "bad"),
        ("size", -1),
        ("size", None),
        ("nope", 1),
        ("", 1),
        ("size.y", 1),
        ("part.nope", 1),
        ("part..amount", 1),
        ("spare.nope", 1),
        ("unmakeable.name", "x"),
        ("either.amount", 1),
        ("counts.k", "bad"),
        ("parts.k.nope", 1),
        ("tables.a.b.c", 1),
        ("numbers.0", 1),
        ("anything.x", 1),
    ],
)
def test_a_failing_override_raises_value_error_and_changes_nothing(path: str, value: object) -> None:
    whole = Whole()
    with pytest.raises(ValueError):
        whole.override(path, value)
    assert whole == Whole()


def test_override_finds_existing_keys_with_dots() -> None:
    whole = Whole(counts={"a.b": 1}, parts={"c.d": Part()}, tables={"e.f": {}})
    whole.update({"counts.a.b": 2, "parts.c.d.amount": 3, "tables.e.f.g": 4})
    assert whole.counts == {"a.b": 2}
    assert whole.parts["c.d"].amount == 3
    assert whole.tables == {"e.f": {"g": 4}}


def test_override_reaches_into_games() -> None:
    config = MettaGridConfig()
    config.update(
        {
            "game.num_agents": "5",
            "game.agent.inventory.initial.heart": 3,
            "game.obs.observation_radius_value": {"value": 2},
            "game.objects.wall": {"pydantic_type": "wall"},
            "game.map_builder.width": 5,
        }
    )
    assert config.game.num_agents == 5
    assert config.game.agent.inventory.initial == {"heart": 3}
    assert config.game.obs.observation_radius_value.value == 2
    assert config.game.objects["wall"].name == "wall"
    assert config.game.map_builder.width == 5


def test_the_message_of_an_override_names_the_path_and_what_is_allowed() -> None:
    with pytest.raises(
        ValueError, match=r"Cannot set 'part\.nope': Part has no field 'nope'; its fields are amount, names"
    ):
        Whole().override("part.nope", 1)


def test_update_applies_overrides_in_order() -> None:
    assert Whole().update({"size": 3, "part": {"amount": 1}, "part.amount": 2}).part.amount == 2


def test_plain_assignment_is_not_checked() -> None:
    config = MettaGridConfig()
    config.game.num_agents = -5
    assert config.game.num_agents == -5


def test_a_class_may_contain_itself() -> None:
    assert Tree.model_validate({"children": [{"value": 2, "children": [{}]}]}).children[0].children == [Tree()]


def test_string_enumerations_are_written_as_their_value() -> None:
    class Side(ConfigStrEnum):
        LEFT = "left"

    class HasSide(Config):
        side: Side = Side.LEFT

    assert HasSide().model_dump_json() == '{"side":"left"}'
    assert f"{Side.LEFT}" == "left"
