"""A season as a form: its fields, and the check of what the form or its YAML says, with each problem at its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from observatory.administration.season_preview import SeasonPreview
from observatory.errors import Unprocessable
from observatory.seasons.bounds import MAX_AGENTS, MAX_DAYS, MAX_DELAY_SECONDS, MAX_MINUTES, MAX_SEED, MAX_STEPS
from observatory.seasons.config import SeasonPreset
from observatory.seasons.sources import env_config_of_game, parse_preset, preset_text, problem_sentence
from observatory.seasons.yaml_reading import read_yaml
from observatory.wire import Body

__all__ = ["CheckedForm", "FormField", "SeasonForm", "SeasonFormChecked", "SeasonFormText", "check_form", "season_form"]

PLAY = "play"
"""in the path of a field: `freeplay` or `team`, by the type of the season"""


class FormField(BaseModel):
    """One setting. `path` leads to it in the document; its step `play` is the part of the season's type."""

    path: list[str]
    group: str
    title: str
    about: str
    kind: str = Field(description="`text`, `long`, `boolean`, `integer`, `number`, `choice`, `splits` or `stages`")
    default: Any = None
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = []
    only: str | None = Field(default=None, description="the type of season that has it; null for both")


class SeasonForm(BaseModel):
    """The form for a season, and the document of a new one."""

    fields: list[FormField]
    document: dict[str, Any]


class SeasonFormText(Body):
    """A season as the form or as its YAML has it: one of both."""

    yaml: str | None = Field(default=None, max_length=200_000)
    document: dict[str, Any] | None = None
    policies: int = Field(default=10, ge=1, le=10_000, description="for the preview: how many policies may enter")


class FieldProblem(BaseModel):
    """A problem, and the path of its field in the document; an empty path for the season as a whole."""

    path: list[str]
    message: str


class SeasonFormChecked(BaseModel):
    """The season in both forms, the problems in it, and what it would play and cost."""

    good: bool
    sentence: str = Field(description="the effect of saving it, or the number of problems")
    problems: list[FieldProblem]
    yaml: str
    document: dict[str, Any] | None
    preview: SeasonPreview | None


@dataclass(frozen=True)
class CheckedForm:
    """What a form says. `preset` is None if there are problems."""

    yaml: str
    document: dict[str, Any] | None
    preset: SeasonPreset | None
    problems: list[FieldProblem]


def check_form(text: SeasonFormText) -> CheckedForm:
    """Read a season from the form or from YAML and check everything, also whether its game exists. This is slow.

    YAML stays as it was written, with its comments. A form that has problems is returned as YAML as far as it goes.
    """
    if text.yaml is not None:
        try:
            document = read_yaml(text.yaml)
        except ValueError as error:
            return CheckedForm(text.yaml, None, None, [FieldProblem(path=[], message=f"This is not YAML: {error}")])
        if not isinstance(document, dict):
            problem = FieldProblem(path=[], message="The YAML must be a mapping with the fields `name` and so on")
            return CheckedForm(text.yaml, None, None, [problem])
        preset, problems = _validated(document)
        if preset is not None:  # short forms such as `live: off` become the fields of the form
            document = preset.model_dump(mode="json", exclude_defaults=True)
        return CheckedForm(text.yaml, document, preset, problems)
    document = text.document or {}
    preset, problems = _validated(document)
    written = _dumped(document) if preset is None else preset_text(preset)
    return CheckedForm(written, document, preset, problems)


def _validated(document: dict[str, Any]) -> tuple[SeasonPreset | None, list[FieldProblem]]:
    try:
        preset = SeasonPreset.model_validate(document)
    except ValidationError as error:
        return None, _problems(error)
    try:
        env_config_of_game(preset.play.game)
    except Unprocessable as error:
        part = preset.tournament_type.value
        message = error.message.removeprefix("game.mission: ")
        return None, [FieldProblem(path=[part, "game", "mission"], message=message)]
    return preset, []


_PATTERNS = {
    "name": "use small letters, digits and hyphens, such as spring-cup; it begins with a letter or a digit",
    "compat_version": "use digits and points, such as 0.26",
}


def _problems(error: ValidationError) -> list[FieldProblem]:
    return [
        FieldProblem(path=[str(part) for part in problem["loc"]], message=_message(problem))
        for problem in error.errors(include_url=False)
    ]


def _message(problem: Mapping[str, Any]) -> str:
    if problem["type"] == "string_pattern_mismatch" and problem["loc"][-1] in _PATTERNS:
        return _PATTERNS[problem["loc"][-1]]
    return problem_sentence(problem)


def _dumped(document: dict[str, Any]) -> str:
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def season_form() -> SeasonForm:
    """Return the fields of the form, by group."""
    return SeasonForm(fields=[*_about(), *_game(), *_freeplay(), *_team(), *_operation()], document=_new())


def _new() -> dict[str, Any]:
    example = parse_preset(_EXAMPLE)
    return example.model_dump(mode="json", exclude_defaults=True) | {"name": "", "display_name": "", "summary": ""}


_EXAMPLE = """
name: new
display_name: New
summary: New
tournament_type: freeplay
freeplay:
  game: {mission: arena, num_agents: 4}
  splits: [[2, 2], [1, 3], [3, 1]]
"""


def _about() -> Sequence[FormField]:
    field = partial(FormField, group="About")
    return [
        field(
            path=["name"],
            title="Name",
            about="in addresses and commands: small letters, digits and hyphens; it cannot be changed later",
            kind="text",
            required=True,
        ),
        field(path=["display_name"], title="Title", about="one line", kind="text", required=True),
        field(path=["summary"], title="Summary", about="one or two sentences", kind="text", required=True),
        field(path=["game_description"], title="Rules", about="shown on its page, Markdown", kind="long"),
        field(path=["public"], title="Public", about="whether everyone sees it", kind="boolean", default=True),
        field(
            path=["is_default"],
            title="Default season",
            about="the season of its type that commands use when none is named",
            kind="boolean",
            default=False,
        ),
    ]


def _game() -> Sequence[FormField]:
    field = partial(FormField, group="Game")
    return [
        field(
            path=["tournament_type"],
            title="Kind of season",
            about="freeplay: every two policies play together; team: stages, in which teams are drawn and culled",
            kind="choice",
            default="freeplay",
            choices=["freeplay", "team"],
            required=True,
        ),
        field(
            path=[PLAY, "game", "game_engine"],
            title="Engine",
            about="mettagrid: missions on the grid; bitworld: pixel games such as among_them",
            kind="choice",
            default="mettagrid",
            choices=["mettagrid", "bitworld"],
        ),
        field(
            path=[PLAY, "game", "mission"],
            title="Mission",
            about="as `cogames missions` lists it, or `cogames bitworld games` for pixel games",
            kind="text",
            required=True,
        ),
        field(
            path=[PLAY, "game", "num_agents"],
            title="Agents",
            about="seats in a match",
            kind="integer",
            required=True,
            minimum=1,
            maximum=MAX_AGENTS,
        ),
        field(
            path=[PLAY, "game", "max_steps"],
            title="Steps",
            about="length of a match; empty: as the mission says",
            kind="integer",
            minimum=1,
            maximum=MAX_STEPS,
        ),
        field(
            path=["compat_version"],
            title="Version of the game",
            about="such as 0.26; bundles for another version are rejected; empty: all are accepted",
            kind="text",
        ),
        field(
            path=[PLAY, "fixed_map_seed"],
            title="Seed of the map",
            about="one map for all matches; empty: a map for each, from a hidden seed",
            kind="integer",
            minimum=0,
            maximum=MAX_SEED,
        ),
    ]


def _freeplay() -> Sequence[FormField]:
    field = partial(FormField, group="Freeplay", only="freeplay")

    def number(name: str, title: str, about: str, default: float, kind: str = "integer") -> FormField:
        bounds = {"minimum": 1, "maximum": 10_000} if kind == "integer" else {}
        return field(path=[PLAY, name], title=title, about=about, kind=kind, default=default, **bounds)

    return [
        number("qualifying_matches", "Qualifying matches", "that each policy plays alone first", 2),
        number("qualifying_threshold", "Score to qualify", "the mean score that is needed", 0.1, kind="number"),
        number("repetitions", "Matches of a pair", "with each split", 5),
        field(
            path=[PLAY, "splits"],
            title="Splits",
            about="how two policies share the agents, such as 2-2, 1-3; each split must add up to all agents",
            kind="splits",
            required=True,
        ),
        number("max_failures", "Failures", "after which a policy is out", 3),
    ]


def _team() -> Sequence[FormField]:
    field = partial(FormField, group="Stages", only="team")
    return [
        field(
            path=[PLAY, "stages"],
            title="Stages",
            about="policies are evaluated, teams are drawn, teams play and the worst are out, policies are placed",
            kind="stages",
            required=True,
        ),
        field(
            path=[PLAY, "max_failed_attempts"],
            title="Failed attempts",
            about="after which a match is given up",
            kind="integer",
            default=3,
            minimum=1,
            maximum=10_000,
        ),
        field(
            path=[PLAY, "rolling", "start"],
            title="Start by itself",
            about="when it is opened; else an administrator starts it",
            kind="boolean",
            default=False,
        ),
    ]


def _operation() -> Sequence[FormField]:
    field = partial(FormField, group="Operation")
    return [
        field(
            path=[PLAY, "live", "watch"],
            title="Watch live",
            about="whether its matches can be watched while they are played",
            kind="boolean",
            default=True,
        ),
        field(
            path=[PLAY, "live", "delay_seconds"],
            title="Delay for spectators, seconds",
            about="how much later than it was played a tick is shown",
            kind="number",
            default=0,
            minimum=0,
            maximum=MAX_DELAY_SECONDS,
        ),
        field(
            path=[PLAY, "live", "hide_secrets"],
            title="Hide secrets from spectators",
            about="while a match is played, spectators see what all players know: no roles, no places",
            kind="boolean",
            default=False,
        ),
        field(
            path=[PLAY, "rolling", "queue_weight"],
            title="Weight in the queue",
            about="a season of weight 2 gets twice the workers' time of a season of weight 1",
            kind="number",
            default=1,
            minimum=0.01,
            maximum=100,
        ),
        field(
            path=["auto_roll_hour_utc"],
            title="New version at this hour",
            about="UTC, after the version is complete; empty: an administrator decides",
            kind="integer",
            minimum=0,
            maximum=23,
        ),
        field(
            path=[PLAY, "rolling", "after_minutes"],
            title="New version after minutes",
            about="after the version is complete; empty: an administrator decides",
            kind="number",
            minimum=0,
            maximum=MAX_MINUTES,
        ),
        field(
            path=[PLAY, "rolling", "keep_entrants"],
            title="Keep policies",
            about="whether a new version begins with the policies of the last one",
            kind="boolean",
            default=False,
        ),
        field(
            path=[PLAY, "rolling", "keep_replays_days"],
            title="Keep replays, days",
            about="empty: as long as the server keeps others",
            kind="number",
            minimum=0.01,
            maximum=MAX_DAYS,
        ),
    ]
