"""Read the output of a game: results, or the declared failure of a seat."""

import json
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from coworld.errors import CoworldError
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.io import GamePlayerFailure
from coworld.schema.bounds import applied_subschemas
from coworld.schema.validation import json_schema_validation_errors

LARGEST_RESULTS = 64 << 20
LARGEST_CHECK = 1 << 30
"""bytes of results times subschemas: an error of each subschema may quote the whole results"""


def read_results(path: Path, schema: dict[str, Any], slots: int) -> dict[str, Any]:
    """Read the results, which must match the game's schema and have a score per slot if they have scores."""
    if not path.is_file():
        raise RunnerEpisodeError("the game ended and has written no results", error_type="results_missing")
    if path.stat().st_size > LARGEST_RESULTS:
        _malformed(f"results.json is larger than {LARGEST_RESULTS} bytes")
    applied = applied_subschemas(schema)
    if path.stat().st_size * applied > LARGEST_CHECK:
        _malformed(f"results.json has {path.stat().st_size} bytes, too many for a schema of {applied} subschemas")
    try:
        results = json.loads(path.read_bytes(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        _malformed(f"results.json is not JSON: {error}")
    if not isinstance(results, dict):
        _malformed(f"results.json must hold an object, not {type(results).__name__}")
    try:
        errors = json_schema_validation_errors(results, schema)
    except CoworldError as error:
        _malformed(f"game.results_schema cannot be used: {error}")
    if errors:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in errors[0].absolute_path)
        _malformed(f"${where}: {errors[0].message}")
    scores = results.get("scores")
    if scores is not None:
        numbers = isinstance(scores, list) and all(
            isinstance(score, int | float) and not isinstance(score, bool) for score in scores
        )
        if not numbers or len(scores) != slots:
            _malformed(f"$.scores: must be one number for each of the {slots} slots")
    return results


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _malformed(message: str) -> NoReturn:
    raise RunnerEpisodeError(message, error_type="results_malformed")


def read_player_failure(path: Path, slots: int) -> RunnerEpisodeError | None:
    """Read a game's declared failure of a seat; an invalid declaration is the game's contract violation."""
    if not path.is_file():
        return None
    try:
        failure = GamePlayerFailure.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        return RunnerEpisodeError(
            f"player_failure.json is invalid: {where}: {first['msg']}", error_type="game_contract_violation"
        )
    if failure.failed_policy_index >= slots:
        return RunnerEpisodeError(
            f"player_failure.json names slot {failure.failed_policy_index} of an episode with {slots} slots",
            error_type="game_contract_violation",
        )
    if failure.kind == "episode_inconclusive":
        return RunnerEpisodeError(failure.message, error_type="episode_inconclusive")
    return RunnerEpisodeError(
        failure.message, error_type="player_error", failed_policy_index=failure.failed_policy_index
    )
