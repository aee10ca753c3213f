"""Hints for viewers. The rules never read them."""

from typing import TypeVar

from pydantic import Field, model_validator

from mettagrid.base_config import Config


class RenderHudConfig(Config):
    """A number shown for an agent; `short_name` is the resource in capitals unless given."""

    resource: str
    short_name: str | None = None
    max: int = 100
    rank: int = 0

    @model_validator(mode="after")
    def _name_it(self) -> "RenderHudConfig":
        self.short_name = self.short_name or self.resource.upper()
        return self


class RenderStatusBarConfig(Config):
    """A bar shown on an object: `bar_type` is large, medium or small."""

    resource: str
    short_name: str | None = None
    bar_type: str = "medium"
    max: int = 100
    divisions: int = Field(default=20, ge=1)
    rank: int = 0

    @model_validator(mode="after")
    def _name_it(self) -> "RenderStatusBarConfig":
        self.short_name = self.short_name or self.resource.upper()
        return self


class RenderAsset(Config):
    """A picture for an object that holds at least `resources` and has all `tags`."""

    asset: str
    resources: dict[str, int] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)


RenderAssetValue = list[RenderAsset]

_Ranked = TypeVar("_Ranked", RenderHudConfig, RenderStatusBarConfig)


class RenderConfig(Config):
    """The look of a game. The first asset of a type whose conditions hold is drawn."""

    hud1: RenderHudConfig = Field(default_factory=lambda: RenderHudConfig(resource="hp", short_name="HP", max=100))
    hud2: RenderHudConfig = Field(default_factory=lambda: RenderHudConfig(resource="energy", short_name="E", max=20))
    agent_huds: dict[str, RenderHudConfig] = Field(default_factory=dict)
    object_status: dict[str, dict[str, RenderStatusBarConfig]] = Field(default_factory=dict)
    symbols: dict[str, str] = Field(default_factory=dict)
    assets: dict[str, RenderAssetValue] = Field(default_factory=dict)
    terrain_tile: str | None = None
    stamp_assets: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _sort_by_rank(self) -> "RenderConfig":
        self.agent_huds = _by_rank(self.agent_huds)
        self.object_status = {name: _by_rank(bars) for name, bars in self.object_status.items()}
        return self


def _by_rank(entries: dict[str, _Ranked]) -> dict[str, _Ranked]:
    return dict(sorted(entries.items(), key=lambda entry: (entry[1].rank, entry[0])))
