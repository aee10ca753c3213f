"""Handlers, filters, mutations, queries: accepted input, and the results of the helpers."""

import json

import pytest
from pydantic import TypeAdapter, ValidationError

from mettagrid.config import game_value as gv
from mettagrid.config.action_config import MoveActionConfig
from mettagrid.config.filter import AnyFilter
from mettagrid.config.handler_config import (
    AddTagMutation,
    AllOf,
    AnyHandler,
    AnyMutation,
    AnyQuery,
    AOEConfig,
    ClosureQuery,
    EntityTarget,
    FirstMatch,
    Handler,
    HandlerTarget,
    MaterializedQuery,
    MaxDistanceFilter,
    NotFilter,
    OrFilter,
    PeriodicFilter,
    Query,
    QueryInventoryMutation,
    RemoveTagsWithPrefixMutation,
    ResourceFilter,
    ResourceTransferMutation,
    SetGameValueMutation,
    StatsMutation,
    TagFilter,
    actorHas,
    actorHasAnyOf,
    actorHasTag,
    addTag,
    allOf,
    anyOf,
    closureQuery,
    deposit,
    firstMatch,
    hasTag,
    isA,
    isNear,
    isNot,
    logActorAgentStat,
    logStat,
    materializedQuery,
    maxDistance,
    query,
    queryDelta,
    queryDeposit,
    queryWithdraw,
    targetHas,
    updateActor,
    withdraw,
)
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig
from mettagrid.config.mutation import RemoveTagsWithPrefix, removeTagPrefix
from mettagrid.config.raycast_query import RaycastQuery, raycastQuery

A, B, C = Handler(name="a"), Handler(name="b"), Handler(name="c")


def test_combining_handlers_drops_none_and_flattens_the_same_kind() -> None:
    assert firstMatch([]) is None
    assert firstMatch([None]) is None
    assert firstMatch([A]) is A
    assert firstMatch([A, None, FirstMatch(handlers=[B, C]), AllOf(handlers=[A])]) == FirstMatch(
        handlers=[A, B, C, AllOf(handlers=[A])]
    )
    assert allOf([A, AllOf(handlers=[B, AllOf(handlers=[C])])]) == AllOf(handlers=[A, B, AllOf(handlers=[C])])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"name": "x"}, Handler),
        ({}, Handler),
        ({"handler_type": "first_match", "handlers": [{"handler_type": "all_of"}]}, FirstMatch),
        ({"handler_type": "all_of", "handlers": [{"name": "y"}]}, AllOf),
    ],
)
def test_handler_type_tells_handlers_apart(data: dict, kind: type) -> None:
    handler = GridObjectConfig(name="o", on_use_handler=data).on_use_handler
    assert type(handler) is kind
    assert GridObjectConfig.model_validate_json(GridObjectConfig(name="o", on_use_handler=data).model_dump_json())


@pytest.mark.parametrize(
    "data", [3, {"handlers": []}, {"handler_type": "zz"}, {"handler_type": None}, {"handler_type": "handler"}, []]
)
def test_other_handlers_are_refused(data: object) -> None:
    with pytest.raises(ValidationError):
        GridObjectConfig(name="o", on_use_handler=data)


def test_handlers_given_as_objects_are_kept_as_they_are() -> None:
    area = AOEConfig(radius=2)
    assert GridObjectConfig(name="o", on_use_handler=area).on_use_handler is area


def test_move_handlers_are_typed() -> None:
    move = MoveActionConfig(
        handlers=[A, {"name": "b"}, firstMatch([A, B]), {"handler_type": "all_of", "handlers": [{}]}]
    )
    assert move.handlers[0] is A
    assert move.handlers[1:] == [B, FirstMatch(handlers=[A, B]), AllOf(handlers=[Handler()])]
    assert MoveActionConfig.model_validate_json(move.model_dump_json()) == move
    with pytest.raises(ValidationError):
        MoveActionConfig(handlers=[{"a": 1}])


@pytest.mark.parametrize(
    "data",
    [{"filter_type": "zz"}, {}, 3, None, addTag("x"), {"filter_type": ["tag"]}, {"filter_type": {"a": 1}}],
)
def test_other_filters_are_refused(data: object) -> None:
    with pytest.raises(ValidationError):
        Handler(filters=[data])


def test_messages_say_what_was_given_and_what_is_allowed() -> None:
    with pytest.raises(
        ValidationError, match=r"Unknown filter_type 'zz'; a filter has one of 'vibe', 'resource', 'tag'"
    ):
        Handler(filters=[{"filter_type": "zz"}])
    with pytest.raises(ValidationError, match=r"A mutation needs the key 'mutation_type', one of 'resource_delta'"):
        Handler(mutations=[{}])
    with pytest.raises(ValidationError, match=r"Expected a filter, given as an object or a dictionary, but got int"):
        Handler(filters=[3])
    with pytest.raises(
        ValidationError, match=r"Expected a tag name or a query, given as an object or a dictionary, but got"
    ):
        Query(source=3)


def test_errors_point_to_the_place() -> None:
    with pytest.raises(ValidationError) as caught:
        MettaGridConfig.model_validate(
            {"game": {"events": {"e": {"target_query": "t", "filters": [{"filter_type": "not", "inner": {}}]}}}}
        )
    assert caught.value.errors()[0]["loc"] == ("game", "events", "e", "filters", 0, "inner")


def test_filters_and_mutations_may_be_given_as_tuples() -> None:
    assert Handler(filters=(hasTag("a"),), mutations=(addTag("a"),)) == Handler(
        filters=[hasTag("a")], mutations=[addTag("a")]
    )


def test_filter_helpers() -> None:
    target, actor = HandlerTarget.TARGET, HandlerTarget.ACTOR
    assert hasTag("a") == TagFilter(target=target, tag="a")
    assert actorHasTag("a") == TagFilter(target=actor, tag="a")
    assert isA("wall") == hasTag("type:wall")
    assert isNot(hasTag("a")) == NotFilter(inner=hasTag("a"))
    assert anyOf([hasTag("a")]) == OrFilter(inner=[hasTag("a")])
    assert actorHas({"a": 2}) == ResourceFilter(target=actor, resources={"a": 2})
    assert actorHasAnyOf(["a", "b"]) == anyOf([actorHas({"a": 1}), actorHas({"b": 1})])
    assert targetHas({"a": 2}).target is target
    assert isNear("t", 3) == isNear(query("t"), 3) == MaxDistanceFilter(query=Query(source="t"), radius=3)
    assert maxDistance(4) == MaxDistanceFilter(radius=4, target=target)
    with pytest.raises(ValidationError):
        PeriodicFilter(period=0)


def test_query_helpers() -> None:
    assert query("t", hasTag("a")) == query("t", [hasTag("a")]) == Query(source="t", filters=[hasTag("a")])
    assert closureQuery("a", "b", hasTag("x")) == ClosureQuery(source="a", candidates="b", edge_filters=[hasTag("x")])
    assert materializedQuery("m", query("t")) == MaterializedQuery(tag="m", query=query("t"))
    assert raycastQuery("s", blocker=hasTag("a")) == RaycastQuery(source="s", blocker=[hasTag("a")])
    assert raycastQuery("s").directions == ["north", "south", "east", "west"]


@pytest.mark.parametrize(("given", "stored"), [(2, 2), (2.0, 2), ("2", 2), (None, None), ({"value": 2}, gv.val(2))])
def test_a_number_of_items_may_be_a_game_value(given: object, stored: object) -> None:
    assert Query(source="a", max_items=given).max_items == stored


def test_mutation_helpers() -> None:
    assert withdraw({"a": 1}, remove_when_empty=True) == ResourceTransferMutation(
        from_target="target", to_target="actor", resources={"a": 1}, remove_source_when_empty=True
    )
    assert deposit({"a": 1}).from_target is EntityTarget.ACTOR
    assert updateActor({"a": 1}).target is EntityTarget.ACTOR
    assert addTag("a") == AddTagMutation(tag="a", target=EntityTarget.TARGET)
    assert removeTagPrefix("p") == RemoveTagsWithPrefix("p") == RemoveTagsWithPrefixMutation(prefix="p")
    assert queryDelta(query("x"), {"a": 2}) == QueryInventoryMutation(query=query("x"), deltas={"a": 2})
    assert queryDeposit(query("x"), {"a": 2}).transfer_stats == {}
    assert queryDeposit(query("x"), {"a": 2}, "p/").transfer_stats == {"a": "p/a.deposited"}
    taken = queryWithdraw(query("x"), {"a": 2}, stat_prefix="p/")
    assert (taken.deltas, taken.source, taken.transfer_stats) == ({"a": -2}, "actor", {"a": "p/a.withdrawn"})


def test_logging_a_stat_adds_to_the_stat_itself() -> None:
    assert logStat("s") == StatsMutation(
        stat="s", target="game", entity="target", source=gv.SumGameValue(values=[gv.stat("game.s"), gv.val(1)])
    )
    assert logActorAgentStat("s", 2) == StatsMutation(
        stat="s", target="agent", entity="actor", source=gv.SumGameValue(values=[gv.stat("s"), gv.val(2)])
    )
    assert logStat("s", source=gv.inv("a")).source.values[1] == gv.inv("a")


def test_set_game_value_takes_a_source_or_a_delta() -> None:
    assert SetGameValueMutation(value={"item": "a"}, source={"value": 2}).source == gv.val(2)
    with pytest.raises(ValidationError, match=r"Both a source and a delta of 1\.0 are given"):
        SetGameValueMutation(value=gv.inv("a"), delta=1, source=gv.val(2))
    with pytest.raises(ValidationError):
        SetGameValueMutation(value=gv.val(2))


def test_rules_nested_deeper_than_the_stack_allows_are_refused() -> None:
    inner: dict = {"filter_type": "periodic", "period": 1}
    for _ in range(5000):
        inner = {"filter_type": "not", "inner": inner}
    with pytest.raises(ValidationError, match="Rules are nested more than 100 levels deep"):
        Handler(filters=[inner])


def test_ordinary_nesting_is_accepted() -> None:
    inner: dict = {"filter_type": "periodic", "period": 1}
    for _ in range(50):
        inner = {"filter_type": "not", "inner": inner}
    handler = Handler(filters=[inner])
    assert Handler.model_validate_json(handler.model_dump_json()) == handler


@pytest.mark.parametrize("union", [AnyFilter, AnyMutation, AnyQuery, AnyHandler, gv.AnyGameValue])
@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_the_unions_have_json_schemas(union: object, mode: str) -> None:
    schema = TypeAdapter(union).json_schema(mode=mode)
    references = {part.split('"')[0] for part in json.dumps(schema).split('"#/$defs/')[1:]}
    assert references <= schema["$defs"].keys()
    assert len(references) > 20


def test_the_whole_configuration_has_a_json_schema() -> None:
    schema = MettaGridConfig.model_json_schema()
    assert {"GameConfig", "NotFilter", "StatsMutation", "ClosureQuery", "MaxGameValue"} <= schema["$defs"].keys()
    assert "$type" in schema["$defs"]["MaxGameValue"]["properties"]
