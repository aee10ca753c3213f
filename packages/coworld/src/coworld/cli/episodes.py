"""Run episodes from the command line: build the request and print the outcome."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coworld.cli.json_output import EpisodeDocument, FailureDocument
from softmax.cli.errors import UsageError, hints_of
from softmax.cli.output import print_error

if TYPE_CHECKING:
    from coworld.engines.base import Engine
    from coworld.manifest.package import CoworldPackage
    from coworld.models.requests import CoworldEpisodeJobSpec
    from coworld.runner.runner import EpisodeOutcome

__all__ = ["describe_failure", "episode_document", "print_episode", "request_for", "with_commands", "with_seed"]


def request_for(
    package: CoworldPackage,
    given: Sequence[str],
    *,
    variant: str | None,
    run: Sequence[str],
    secrets: Mapping[str, str],
) -> CoworldEpisodeJobSpec:
    """Build the episode request from a request file, images for the seats, or the fixture's players."""
    from coworld.runner.episode_request import fixture_request, load_request

    hosted = package.manifest.game.player_runtime == "game-hosted"
    if hosted and secrets:
        raise UsageError(
            "This game hosts its players: they do not get their own variables",
            ["leave `--secret-env`, `--use-llm` and `--use-bedrock` out"],
        )
    if _is_request(given):
        if len(given) > 1 or variant is not None or run:
            raise UsageError("An episode request says everything: no images, `--variant` or `--run` beside it")
        return load_request(Path(given[0]), package=package, strict=False)
    if hosted and (given or run):
        raise UsageError("This game hosts its players: images and `--run` cannot be seated")
    if run and not given:
        raise UsageError("`--run` is the command of images, and none are given", ["name one image, or one per seat"])
    if hosted:
        from coworld.runner.player_files import fixture_player_files, player_file_spec

        files = [player_file_spec(path) for path in fixture_player_files(package)]
        return fixture_request(package, variant_id=variant, player_files=files)
    try:
        return fixture_request(package, variant_id=variant, images=given, run=run)
    except ValueError as error:
        if "player images for" in str(error):
            raise UsageError(str(error), hints_of(error) or ()) from error
        raise


def _is_request(given: Sequence[str]) -> bool:
    return bool(given) and (given[0].endswith(".json") or Path(given[0]).is_file())


def with_commands(
    request: CoworldEpisodeJobSpec, given: Sequence[str], *, run: Sequence[str], engine: Engine
) -> CoworldEpisodeJobSpec:
    """Return the request with resolved images: images named without `--run` run their own commands."""
    from coworld.runner.episode_request import with_own_commands

    return request if run or not given or _is_request(given) else with_own_commands(request, engine)


def with_seed(request: CoworldEpisodeJobSpec, number: int) -> CoworldEpisodeJobSpec:
    """Return the request with the config's integer seed increased by an offset; unchanged without a seed."""
    seed = request.game_config.get("seed")
    if not number or isinstance(seed, bool) or not isinstance(seed, int):
        return request
    return request.model_copy(update={"game_config": {**request.game_config, "seed": seed + number}})


def episode_document(request: CoworldEpisodeJobSpec, outcome: EpisodeOutcome) -> EpisodeDocument:
    """Return an episode as `--json` prints it."""
    artifacts, error = outcome.artifacts, outcome.error
    scores = (outcome.results or {}).get("scores")
    is_list = isinstance(scores, list) and all(isinstance(score, int | float) for score in scores)
    seed = request.game_config.get("seed")
    return EpisodeDocument(
        artifacts=str(artifacts.workspace),
        results_path=_existing(artifacts.results_path),
        replay_path=_existing(artifacts.replay_path),
        logs=str(artifacts.logs_dir),
        seed=seed if isinstance(seed, int) else None,
        scores=scores if is_list else None,
        results=outcome.results,
        seconds=round(outcome.seconds, 3),
        error=None
        if error is None
        else FailureDocument(type=error.error_type, message=error.message, party=error.party.value, slot=error.slot),
    )


def print_episode(document: EpisodeDocument, manifest: str, server: str | None = None) -> None:
    """Print the outcome of an episode as text."""
    print(f"Artifacts: {document.artifacts}")
    if document.results_path is not None:
        print(f"Results: {document.results_path}")
    if document.scores is not None:
        print(f"Scores: {', '.join(f'{slot}={score}' for slot, score in enumerate(document.scores))}")
    if document.replay_path is not None:
        print(f"Replay: {document.replay_path}")
    print(f"Logs: {document.logs}")
    if document.replay_path is not None:
        words = ["coworld", "replay", manifest, document.replay_path, *(["--server", server] if server else [])]
        print(f"Inspect replay: {shlex.join(words)}")
    print(f"Inspect logs: {shlex.join(['ls', document.logs])}")
    if document.error is not None:
        print_error(f"Error: {describe_failure(document.error)}")


def describe_failure(failure: FailureDocument) -> str:
    """Describe a failed episode in a sentence."""
    blame = {
        "game": "the game is to blame",
        "player": f"the player in slot {failure.slot} is to blame",
        "platform": "neither game nor players are to blame",
    }.get(failure.party, "no party is to blame; try again")
    return f"The episode failed with {failure.type} ({blame}): {failure.message}"


def _existing(path: Path) -> str | None:
    return str(path) if path.exists() else None
