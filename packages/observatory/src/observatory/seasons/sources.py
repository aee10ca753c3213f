"""Read and write seasons as YAML, with a sentence for each mistake."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from observatory import games
from observatory.database.tables.seasons import Season, SeasonLife, TournamentType
from observatory.errors import Unprocessable
from observatory.seasons.config import Game, SeasonPreset
from observatory.seasons.yaml_reading import read_yaml

__all__ = [
    "PRESETS",
    "env_config_of_game",
    "parse_preset",
    "preset_of",
    "preset_text",
    "problem_sentence",
    "read_preset",
]

PRESETS = Path(__file__).parent / "presets"


def read_preset(path: Path) -> SeasonPreset:
    """Return a season as a YAML file describes it; `Unprocessable` with the first thing that is wrong."""
    return parse_preset(path.read_text(encoding="utf-8"), source=path.name)


def parse_preset(text: str, *, source: str = "The text") -> SeasonPreset:
    """Parse a season from YAML; `Unprocessable` with the place of the first mistake and how to fix it."""
    try:
        document = read_yaml(text)
    except ValueError as error:
        raise Unprocessable(f"{source} is not valid YAML: {error}") from None
    if not isinstance(document, dict):
        raise Unprocessable(
            f"{source} does not describe a season: it must be a mapping with the fields `name`, `team` and so on"
        )
    try:
        return SeasonPreset.model_validate(document)
    except ValidationError as error:
        raise Unprocessable(f"{source} does not describe a season: {_problem(error)}") from None


def preset_of(season: Season) -> SeasonPreset:
    """Return a stored season as data. A draft becomes the default only when it is opened, so its text says it."""
    if season.life is SeasonLife.DRAFT and season.source is not None:
        return parse_preset(season.source)
    part = "team" if season.tournament_type is TournamentType.team else "freeplay"
    return SeasonPreset.model_validate(
        {
            "name": season.name,
            "display_name": season.display_name,
            "summary": season.summary,
            "game_description": season.game_description,
            "tournament_type": season.tournament_type,
            "compat_version": season.compat_version,
            "public": season.public,
            "is_default": season.is_default,
            "auto_roll_hour_utc": season.auto_roll_hour_utc,
            part: season.config,
        }
    )


def preset_text(preset: SeasonPreset) -> str:
    """Return a season as YAML, without fields that have their default."""
    document = preset.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def env_config_of_game(game: Game) -> dict[str, Any]:
    """Return the environment of a preset's game; `Unprocessable` when there is no such mission or variant."""
    try:
        return games.season_game(game.game_engine).env_config(
            game.mission, variants=game.variants, num_agents=game.num_agents, max_steps=game.max_steps
        )
    except ValueError as error:
        raise Unprocessable(f"game.mission: {error}") from None


def _problem(error: ValidationError) -> str:
    """Return the first mistake: its path, the problem, and the allowed values."""
    problems = error.errors(include_url=False)
    # A misspelt field is also reported as missing: the unknown field says more.
    first = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
    place = ".".join(f"{part!s:.60}" for part in first["loc"][:12]) or "the season"
    return f"{place}: {problem_sentence(first)}"


def problem_sentence(problem: Mapping[str, Any]) -> str:
    """Return what is wrong, and the allowed values, without the place."""
    kind, value = problem["type"], problem.get("input")
    if kind == "extra_forbidden":
        fields = sorted(_fields_at(problem["loc"][:-1]))
        close = difflib.get_close_matches(str(problem["loc"][-1]), fields, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(fields)}"
        return f"there is no such field; {hint}"
    if kind == "missing":
        return "this field is missing"
    message = problem["msg"].removeprefix("Value error, ")
    actual = "" if isinstance(value, dict | list) or kind == "value_error" else f", not {value!r:.80}"
    return f"{message[:1].lower()}{message[1:]}{actual}"


def _fields_at(place: tuple[int | str, ...]) -> set[str]:
    """Return the fields allowed at a place; places of a union name the chosen kind."""
    models: list[type[BaseModel]] = [SeasonPreset]
    for part in place:
        if isinstance(part, int):
            continue
        inside = [model.model_fields[part].annotation for model in models if part in model.model_fields]
        if inside:
            models = [inner for annotation in inside for inner in _models(annotation)]
        else:
            models = [model for model in models if part in typing.get_args(model.model_fields["kind"].annotation)]
    return {name for model in models for name in model.model_fields}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that an annotation mentions."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    for part in typing.get_args(annotation):
        yield from _models(part)
