"""Whatever JSON comes in, the answer is a configuration or a `ValidationError`."""

import contextlib
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.config.any_env_config import AnyEnvConfig
from mettagrid.config.filter import AnyFilter
from mettagrid.config.game_value import AnyGameValue
from mettagrid.config.handler_config import AnyHandler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import AnyMutation
from mettagrid.config.query import AnyQuery
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

UNIONS = {
    "filter": TypeAdapter(AnyFilter),
    "mutation": TypeAdapter(AnyMutation),
    "query": TypeAdapter(AnyQuery),
    "value": TypeAdapter(AnyGameValue),
    "handler": TypeAdapter(AnyHandler),
    "environment": TypeAdapter(AnyEnvConfig),
    "map builder": TypeAdapter(AnyMapBuilderConfig),
}


def field_names() -> list[str]:
    """The keys that mean something somewhere: unknown JSON made of them gets deeper than JSON made of noise."""
    names = {"$type", "type"}
    waiting: list[type[BaseModel]] = [BaseModel]
    while waiting:
        model = waiting.pop()
        waiting.extend(model.__subclasses__())
        if model.__module__.startswith("mettagrid.config"):
            names.update(model.model_fields)
    return sorted(names)


TAGS = (
    "vibe resource tag tag_prefix shared_tag_prefix max_distance game_value not or target_loc_empty periodic stats "
    "attack query_inventory raycast_spawn set_game_value query materialized closure raycast first_match all_of wall "
    "object actor target MaxGameValue MinGameValue mettagrid bitworld random north"
).split()

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(TAGS)
)
KEYS = st.sampled_from(field_names()) | st.text(max_size=5)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=25
)
TAGGED = st.builds(
    lambda tags, rest: {**rest, **tags},
    st.dictionaries(
        st.sampled_from(["filter_type", "mutation_type", "query_type", "handler_type", "pydantic_type", "$type"]),
        st.sampled_from(TAGS),
        min_size=1,
        max_size=3,
    ),
    st.dictionaries(KEYS, JSON, max_size=6),
)
MANY = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("union", UNIONS)
@MANY
@given(data=JSON | TAGGED, lenient=st.booleans())
def test_unknown_json_for_a_union(union: str, data: Any, lenient: bool) -> None:
    with contextlib.suppress(ValidationError):
        UNIONS[union].validate_python(data, context=LENIENT_CONTEXT if lenient else None)


@MANY
@given(game=st.dictionaries(KEYS, JSON | TAGGED, max_size=5), lenient=st.booleans())
def test_unknown_json_for_a_game(game: dict[str, Any], lenient: bool) -> None:
    try:
        config = MettaGridConfig.model_validate({"game": game}, context=LENIENT_CONTEXT if lenient else None)
    except ValidationError:
        return
    assert MettaGridConfig.model_validate_json(config.model_dump_json()) == config


@MANY
@given(path=st.lists(KEYS, max_size=4).map(".".join), value=JSON)
def test_any_override_works_or_raises_value_error(path: str, value: Any) -> None:
    with contextlib.suppress(ValueError):
        MettaGridConfig().override(path, value)
