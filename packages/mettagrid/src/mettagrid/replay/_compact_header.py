"""The two JSON sections of our files, which describe the other sections."""

from __future__ import annotations

import json
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mettagrid.replay._model import Kind, Limit, Note, Objects, Replay, check_size
from mettagrid.replay._rows import Rows
from mettagrid.replay.errors import UnreadableReplay

MAX_TICKS = 1 << 22

Count = Annotated[int, Field(ge=0, lt=1 << 31)]
Side = Annotated[int, Field(ge=0, le=65535)]
Tick = Annotated[int, Field(ge=0, le=MAX_TICKS)]
Place = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=3, max_length=3)]
ChunkPlace = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=5, max_length=5)]


def json_object(content: bytes) -> dict[str, Any]:
    """Parse a section that is a JSON object."""
    try:
        document = json.loads(content, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise UnreadableReplay("The replay is damaged: a section is not a JSON object") from None
    if not isinstance(document, dict):
        raise UnreadableReplay("The replay is damaged: a section is not a JSON object")
    return document


class _Part(BaseModel):
    """A JSON section. Unknown keys are ignored: a later release may have added them."""

    model_config = ConfigDict(extra="ignore", strict=True)

    @classmethod
    def parse(cls, content: bytes) -> Self:
        try:
            return cls.model_validate(json_object(content))
        except ValidationError as error:
            place = ".".join(map(str, error.errors()[0]["loc"]))
            raise UnreadableReplay(
                f"The replay is damaged: its {cls.__name__.lower()} has an invalid `{place}`"
            ) from None


class Index(_Part):
    """The sections: [offset, size, unpacked size] each; a chunk has its first and last tick in front."""

    header: Place
    config: Place
    initial: Place
    result: Place
    chunks: list[ChunkPlace]


class _Limit(_Part):
    key: Side
    name: str
    resources: list[Side] | None

    def limit(self) -> Limit:
        return Limit(self.key, self.name, None if self.resources is None else tuple(self.resources))


class _Kind(_Part):
    type_name: str
    cell: str = ""
    is_agent: bool = False
    group_id: int = 0
    group_name: str = ""
    limits: list[_Limit] = []

    def kind(self) -> Kind:
        limits = tuple(limit.limit() for limit in self.limits)
        return Kind(self.type_name, self.cell, self.is_agent, self.group_id, self.group_name, limits)


class _Extra(_Part):
    document: dict[str, Any] = {}
    objects: dict[str, dict[str, Any]] = {}


class Header(_Part):
    """The constants of the episode."""

    engine: str
    seed: int | None
    map_size: Annotated[list[Side], Field(min_length=2, max_length=2)]
    num_agents: Side
    max_steps: int
    first_tick: Tick
    last_tick: Tick
    has_start: bool
    has_asked: bool
    action_names: list[str]
    animation_names: list[str]
    resource_names: list[str]
    type_names: list[str]
    tag_names: list[str]
    vibe_names: list[str]
    stat_names: list[str]
    territory_names: list[str]
    capacities: list[_Limit]
    cell_count: Count
    observed_values: list[str] | None = None
    corrections: list[str] = []
    kinds: list[_Kind]
    policy_env_interface: dict[str, Any]
    extra: _Extra

    @classmethod
    def parse(cls, content: bytes) -> Self:
        header = super().parse(content)
        ticks = header.last_tick - header.first_tick
        if ticks < 0:
            raise UnreadableReplay("The replay is damaged: its last tick is before its first")
        check_size(*header.map_size, layers=len(header.territory_names), agents=header.num_agents, ticks=ticks)
        return header

    def replay(self, objects: Objects, initial: Rows, notes: list[Note], stats: dict[str, Any]) -> Replay:
        """Return the replay with its first state only, without later changes."""
        same = {name: getattr(self, name) for name in type(self).model_fields if name in Replay.__dataclass_fields__}
        same |= {
            "map_size": (self.map_size[0], self.map_size[1]),
            "capacities": [limit.limit() for limit in self.capacities],
            "kinds": [kind.kind() for kind in self.kinds],
            "extra": {name: value for name, value in self.extra.model_dump().items() if value},
        }
        return Replay(**same, objects=objects, rows=initial, notes=notes, stats=stats)
