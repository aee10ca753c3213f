"""The configuration of the ruleset: a YAML document, checked before anything is decided with it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from coworld.errors import CoworldError

__all__ = [
    "Criteria",
    "DivisionRules",
    "Leaderboard",
    "Rule",
    "Ruleset",
    "Schedule",
    "Seating",
    "SeatingRules",
    "StageRules",
    "UpdateMembership",
    "bundled_names",
    "load_ruleset",
    "ruleset_of",
]

PATH, NAME = "RULESET_STRATEGY_CONFIG_PATH", "RULESET_STRATEGY_CONFIG_NAME"
DEFAULT = "default"

Count = Annotated[int, Field(ge=1, le=10_000)]
Seating = Literal[
    "baseline_window", "rolling_window", "shuffled_window", "mmr_neighbors", "team_blocks", "leaderboard_neighbors"
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Leaderboard(_Strict):
    """How rounds become a table."""

    type: Literal["ewma", "mmr"] = "ewma"
    half_life_hours: Annotated[float, Field(gt=0)] = 2.0


class Scoring(_Strict):
    round_score: Literal["mean", "rank", "win"] = "mean"
    leaderboard: Leaderboard = Field(default_factory=Leaderboard)


class Schedule(_Strict):
    """How many episodes a stage has."""

    label: str = "Round"
    episodes: Count = Field(default=1, alias="attempts")
    min_episodes_per_entrant: Count | None = None
    self_play: bool = False

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)


class Criteria(_Strict):
    """When a rule applies; all that are given have to hold. `otherwise` always does."""

    completed_episodes_gt: int | None = None
    completed_episodes_lte: int | None = None
    score_gt: float | None = None
    score_lte: float | None = None
    otherwise: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.otherwise == any(value is not None for name, value in self if name != "otherwise"):
            raise ValueError("give limits, or `otherwise: true` alone")
        return self

    def hold(self, completed: int, score: float) -> bool:
        """Return whether they hold for an entrant with so many completed episodes and this score."""
        checks = (
            self.completed_episodes_gt is None or completed > self.completed_episodes_gt,
            self.completed_episodes_lte is None or completed <= self.completed_episodes_lte,
            self.score_gt is None or score > self.score_gt,
            self.score_lte is None or score <= self.score_lte,
        )
        return all(checks)


class UpdateMembership(_Strict):
    """New values of a membership; None keeps the old one. `division` is a key of the configuration."""

    division: str | None = None
    status: Literal["submitted", "qualifying", "competing", "disqualified"] | None = None
    substatus: str | None = None
    reason: str | None = None


class Action(_Strict):
    update_membership: UpdateMembership


class Rule(_Strict):
    """A transition. The first rule that applies to an entrant counts, and the entrant plays no further stage."""

    id: str
    name: str | None = None
    criteria: Criteria
    actions: list[Action] = Field(default_factory=list)


class StageRules(_Strict):
    """A stage of a round."""

    id: str = "main"
    schedule: Schedule = Field(default_factory=Schedule)
    on_episode_complete: list[Rule] = Field(default_factory=list)


class SeatingRules(_Strict):
    """How entrants get seats, and when a round can start."""

    seating: Seating = "baseline_window"
    team_count: Count = 4
    fill_seats: Literal["duplicate", "fill_from_divisions", "strict"] = "duplicate"
    fill_from: list[str] = Field(default_factory=list)
    duplicate_after_fill: bool = True
    min_entries_to_start: Count = 1
    stage: StageRules = Field(default_factory=StageRules)


class Match(_Strict):
    """An existing division that becomes this one."""

    name: str | None = None
    type: Literal["competition", "staging"] | None = None


class DivisionRules(_Strict):
    """A division. What it leaves out comes from `defaults`."""

    name: str
    level: int
    match: Match = Field(default_factory=Match)
    entrants: Literal["qualifying", "champions", "selector"] = "champions"
    description: str | None = None
    seating: Seating | None = None
    team_count: Count | None = None
    fill_seats: Literal["duplicate", "fill_from_divisions", "strict"] | None = None
    fill_from: list[str] | None = None
    duplicate_after_fill: bool | None = None
    min_entries_to_start: Count | None = None
    stage: StageRules | None = None
    stages: list[StageRules] | None = None

    @property
    def type(self) -> str:
        return "staging" if self.entrants == "qualifying" else "competition"


class Ruleset(_Strict):
    """The whole configuration."""

    schedule_interval_minutes: Annotated[int, Field(ge=1, le=40_320)] = 10
    backend: str = "dispatch"
    dispatch_throttle: Count | None = None
    """at most so many episodes are asked for at a time"""
    scoring: Scoring = Field(default_factory=Scoring)
    defaults: SeatingRules = Field(default_factory=SeatingRules)
    divisions: dict[str, DivisionRules] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        names = [division.name for division in self.divisions.values()]
        if len(set(names)) != len(names):
            raise ValueError("two divisions have the same name")
        for key in self.divisions:
            for target in (*self.seating(key).fill_from, *self._targets(key)):
                if target not in self.divisions:
                    raise ValueError(f"there is no division {target!r}; there are: {', '.join(self.divisions)}")
        return self

    def _targets(self, key: str) -> list[str]:
        rules = [rule for stage in self.stages(key) for rule in stage.on_episode_complete]
        updates = [action.update_membership.division for rule in rules for action in rule.actions]
        return [target for target in updates if target is not None]

    def seating(self, key: str) -> SeatingRules:
        """Return the seating of a division, with the defaults for what it leaves out."""
        own = self.divisions[key]
        given = {name: getattr(own, name) for name in SeatingRules.model_fields if getattr(own, name) is not None}
        return self.defaults.model_copy(update=given)

    def stages(self, key: str) -> list[StageRules]:
        """Return the stages of a division, in order."""
        own = self.divisions[key]
        return own.stages or [own.stage or self.defaults.stage]


def bundled_names() -> list[str]:
    """Return the names of the configurations that come with the package."""
    names = (entry.name for entry in files("coworld.roles.ruleset").joinpath("configs").iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def load_ruleset(environ: Mapping[str, str] = os.environ) -> Ruleset:
    """Return the configuration that the environment names; raise `CoworldError`."""
    if path := environ.get(PATH):
        try:
            return ruleset_of(yaml.safe_load(Path(path).read_text(encoding="utf-8")), name=path)
        except (OSError, yaml.YAMLError) as error:
            raise CoworldError(f"{path} cannot be read: {error}", hint=f"{PATH} names a YAML file") from None
    return ruleset_of(_bundled(environ.get(NAME, DEFAULT)), name=environ.get(NAME, DEFAULT))


def ruleset_of(document: Any, *, name: str) -> Ruleset:
    """Check a configuration; raise `CoworldError` that says what is wrong where."""
    try:
        return Ruleset.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CoworldError(f"the ruleset {name} is wrong at {place or 'its top'}: {first['msg']}") from None


def ruleset_for(league_config: Mapping[str, Any] | None, base: Ruleset) -> Ruleset:
    """Return the ruleset of a league, which may name another one and change parts of it."""
    config = league_config or {}
    name, changes = config.get("ruleset_name"), config.get("ruleset")
    if name is None and not changes:
        return base
    document = base.model_dump(mode="json") if name is None else _bundled(str(name))
    return ruleset_of(_merged(document, changes or {}), name=str(name or "of the league"))


def _merged(document: Any, changes: Any) -> Any:
    """Merge objects key by key; other values are replaced, and null removes a key."""
    if not isinstance(document, dict) or not isinstance(changes, dict):
        return changes
    merged = {**document, **{key: _merged(document.get(key), value) for key, value in changes.items()}}
    return {key: value for key, value in merged.items() if changes.get(key, "") is not None}


def _bundled(name: str) -> Any:
    if name not in bundled_names():
        raise CoworldError(f"there is no ruleset {name!r}", hint=f"there are: {', '.join(bundled_names())}")
    text = files("coworld.roles.ruleset").joinpath("configs", f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
