"""What a server sends and what a client reads: one class for both."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

import softmax.wire as wire
from softmax.wire.base import ResponseModel

MOMENTS = [
    datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
    datetime(2026, 1, 2, 3, 4, 5, 600_000, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
    datetime(2026, 1, 2),
]
TEAM: dict[str, Any] = {
    "id": "00000000-0000-0000-0000-000000000001",
    "pool_name": "round-1",
    "eliminated": False,
    "cogs": [],
    "created_at": "yesterday",
}


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_a_server_may_pass_a_datetime_and_sends_the_text_of_pydantic(moment: datetime) -> None:
    entry = wire.PolicySummary(policy=wire.PolicyVersionSummary(id=TEAM["id"]), pools=[], entered_at=moment)
    assert entry.entered_at == TypeAdapter(datetime).dump_python(moment, mode="json")


def test_a_client_reads_timestamps_as_the_text_that_was_sent() -> None:
    assert wire.TeamSummary.model_validate(TEAM).created_at == "yesterday"


def test_a_client_preserves_unknown_fields() -> None:
    team = wire.TeamSummary.model_validate({**TEAM, "colour": "red"})
    assert team.model_dump()["colour"] == "red"


def test_a_client_reads_responses_without_the_fields_that_have_defaults() -> None:
    team = wire.TeamSummary.model_validate(TEAM)
    assert (team.score, team.matches) == (None, 0)
    assert wire.TeamSummary.model_validate({**TEAM, "matches": None}).matches is None
    with pytest.raises(ValidationError, match="eliminated"):
        wire.TeamSummary.model_validate({name: value for name, value in TEAM.items() if name != "eliminated"})


def test_the_schema_describes_what_the_server_sends() -> None:
    schema = wire.TeamSummary.model_json_schema(mode="serialization")
    assert schema["required"] == list(wire.TeamSummary.model_fields)
    assert "additionalProperties" not in schema
    assert schema["properties"]["matches"] == {"type": "integer", "title": "Matches"}
    assert schema["properties"]["score"] == {"anyOf": [{"type": "number"}, {"type": "null"}], "title": "Score"}
    assert schema["properties"]["created_at"] == {"type": "string", "format": "date-time", "title": "Created At"}


def test_the_schema_leaves_fields_optional_that_only_have_a_default() -> None:
    schema = wire.SeasonDetail.model_json_schema(mode="serialization")
    assert set(wire.SeasonDetail.model_fields) - set(schema["required"]) == {"seed"}


def test_a_subclass_that_rejects_unknown_fields_says_so_in_its_schema() -> None:
    class Strict(wire.AgentResult):
        model_config = ConfigDict(extra="forbid")

    assert Strict.model_json_schema()["additionalProperties"] is False
    with pytest.raises(ValidationError, match="colour"):
        Strict.model_validate({"agent_id": 0, "reward": 1.0, "colour": "red"})


def test_every_exported_model_is_a_response_model() -> None:
    exported = [getattr(wire, name) for name in wire.__all__]
    assert all(issubclass(model, ResponseModel) and issubclass(model, BaseModel) for model in exported)
    assert len({model.__name__ for model in exported}) == len(exported)
