"""Game values: shapes, the two that name themselves, helpers."""

import pytest
from pydantic import TypeAdapter, ValidationError

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.config.filter import GameValueFilter, hasTag
from mettagrid.config.game_value import (
    AnyGameValue,
    ConstValue,
    CountQueryValue,
    GameValueRatio,
    InventoryValue,
    MaxGameValue,
    MinGameValue,
    QueryCountValue,
    QueryInventoryValue,
    RatioGameValue,
    Scope,
    StatValue,
    SumGameValue,
    inv,
    max_value,
    min_value,
    num,
    num_tagged,
    stat,
    tag,
    val,
    weighted_sum,
)
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, MettaGridConfig
from mettagrid.config.obs_config import ObsConfig
from mettagrid.config.query import Query, query
from mettagrid.config.reward_config import reward

VALUE = TypeAdapter(AnyGameValue)
QUERY = {"query_type": "query", "source": "t"}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"item": "a"}, InventoryValue),
        ({"item": "a", "scope": "game"}, InventoryValue),
        ({"name": "a", "delta": True}, StatValue),
        ({"value": 3}, ConstValue),
        ({"query": QUERY, "item": "a"}, QueryInventoryValue),
        ({"query": QUERY}, QueryCountValue),
        ({"values": [{"value": 1}]}, SumGameValue),
        ({"values": [{"value": 1}], "weights": [2.0], "log": True}, SumGameValue),
        ({"numerator": {"value": 1}, "denominator": {"item": "a"}}, RatioGameValue),
        ({"$type": "MaxGameValue", "values": [{"value": 1}]}, MaxGameValue),
        ({"values": [{"value": 1}], "$type": "MinGameValue"}, MinGameValue),
    ],
)
def test_the_keys_say_which_value_it_is(data: dict, kind: type) -> None:
    value = VALUE.validate_python(data)
    assert type(value) is kind
    assert VALUE.validate_json(VALUE.dump_json(value)) == value


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"zz": 1},
        {"item": "a", "name": "b"},
        {"item": 1},
        {"values": []},
        {"values": [{"value": 1}], "weights": [1, 2]},
        {"$type": "SumGameValue", "values": [{"value": 1}]},
        {"$type": "MaxGameValue", "item": "a"},
        {"$type": ["MaxGameValue"], "values": [{"value": 1}]},
        {"query": {"source": "t"}},
        3,
        None,
        "heart",
        [],
    ],
)
def test_other_shapes_are_refused(data: object) -> None:
    with pytest.raises(ValidationError):
        VALUE.validate_python(data)


def test_the_message_for_a_wrong_shape_lists_the_allowed_keys() -> None:
    with pytest.raises(
        ValidationError, match=r"No game value has the keys zz; the allowed sets of keys are: item \[scope\];"
    ):
        VALUE.validate_python({"zz": 1})


def test_a_value_of_the_wrong_kind_of_type_key_is_refused_by_the_class_itself() -> None:
    assert MaxGameValue.model_validate({"$type": "MaxGameValue", "values": [{"value": 1}]}).values == [val(1)]
    with pytest.raises(ValidationError):
        MaxGameValue.model_validate({"$type": "MinGameValue", "values": [{"value": 1}]})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"item": "a", "name": "b", "zz": 3}, InventoryValue(item="a")),
        ({"item": "a", "name": "b", "delta": True}, StatValue(name="b", delta=True)),
        ({"item": 1, "name": "b"}, StatValue(name="b")),
        (
            {"item": "c", "query": {**QUERY, "zz": 1}, "name": "b"},
            QueryInventoryValue(query=Query(source="t"), item="c"),
        ),
        ({"$type": "MinGameValue", "values": [{"value": 1, "zz": 2}], "zz": 1}, MinGameValue(values=[val(1)])),
        ({"$type": "LaterValue", "values": [{"value": 1}]}, SumGameValue(values=[val(1)])),
    ],
)
def test_read_leniently_the_class_with_most_of_the_keys_wins(data: dict, expected: object) -> None:
    assert VALUE.validate_python(data, context=LENIENT_CONTEXT) == expected


CLAMPED = reward(inv("heart"), weight=2.0, min=1, max=5)


def test_maximum_and_minimum_survive_saving_and_loading() -> None:
    config = MettaGridConfig(
        game=GameConfig(
            agent=AgentConfig(rewards={"heart": CLAMPED}),
            obs=ObsConfig(observation_radius_value=max_value([val(1), inv("battery_red")])),
        )
    )
    for loaded in (
        MettaGridConfig.model_validate_json(config.model_dump_json()),
        MettaGridConfig(**config.model_dump()),
        MettaGridConfig.model_validate(config.model_dump(mode="json")),
    ):
        assert loaded == config
        assert loaded.game.agent.rewards["heart"].max == 5
        assert isinstance(loaded.game.obs.observation_radius_value, MaxGameValue)


def test_the_kind_is_the_first_key_of_the_dump() -> None:
    assert list(min_value([val(1)]).model_dump()) == ["$type", "values"]
    assert max_value([val(1)]).model_dump_json() == '{"$type":"MaxGameValue","values":[{"value":1.0}]}'
    assert list(CLAMPED.model_dump(exclude_unset=True)["reward"]) == ["$type", "values"]


def test_the_published_form_has_no_kind_and_leaves_free_parameters_alone() -> None:
    params = {"$type": "mine"}
    config = MettaGridConfig(game=GameConfig(params=params, agent=AgentConfig(rewards={"heart": CLAMPED})))
    published = config.to_published()
    assert list(published["game"]["agent"]["rewards"]["heart"]["reward"]) == ["values"]
    assert published["game"]["params"] == params
    assert isinstance(MettaGridConfig(**published).game.agent.rewards["heart"].reward, SumGameValue)


@pytest.mark.parametrize(
    ("text", "scope", "name"),
    [
        ("a", "agent", "a"),
        ("agent.a", "agent", "a"),
        ("AGENT.a", "agent", "a"),
        ("game.a", "game", "a"),
        ("foo.bar", "agent", "foo.bar"),
        ("agent.b.c", "agent", "b.c"),
        (".a", "agent", ".a"),
    ],
)
def test_stat_names_may_begin_with_a_scope(text: str, scope: str, name: str) -> None:
    assert stat(text) == StatValue(name=name, scope=Scope(scope))


def test_items_have_no_game_scope() -> None:
    assert inv("agent.heart") == inv("heart") == InventoryValue(item="heart")
    with pytest.raises(ValueError, match=r"'game\.heart' has the scope 'game'; allowed here: 'agent'"):
        inv("game.heart")


def test_counting_helpers_make_queries() -> None:
    assert num("t") == num_tagged("t") == tag("t") == QueryCountValue(query=query("t"))
    assert num("t", hasTag("z")) == num("t", [hasTag("z")]) == QueryCountValue(query=query("t", [hasTag("z")]))
    assert CountQueryValue is QueryCountValue


def test_a_weighted_sum_is_bounded_from_below_first() -> None:
    bounded = weighted_sum([(1, inv("a")), (2.5, val(3))], log=True, min=1, max=2)
    total = SumGameValue(values=[inv("a"), val(3)], weights=[1, 2.5], log=True)
    assert bounded == MinGameValue(values=[MaxGameValue(values=[total, val(1)]), val(2)])


def test_ratio() -> None:
    assert GameValueRatio(inv("a"), val(2)) == RatioGameValue(numerator=inv("a"), denominator=val(2))


def test_a_bound_may_be_a_number_or_a_value() -> None:
    assert GameValueFilter(target="actor", value=inv("a"), min="3").min == 3
    assert GameValueFilter(target="actor", value=inv("a"), min={"value": 2.5}).min == val(2.5)
    with pytest.raises(ValidationError):
        GameValueFilter(target="actor", value=inv("a"), min=2.5)
