"""The parts of a certification under the names of the published package."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coworld.certification import roles
from coworld.certification.report import CertificationReport
from coworld.certification.sources import inspect_sources
from coworld.certification.steps import Candidate, missing_players, resolve_images
from coworld.commissioner.client import CommissionerError, ask_commissioner
from coworld.commissioner.protocol import ScheduleRoundsRequest, ScheduleRoundsResponse
from coworld.engines.base import Engine
from coworld.errors import CoworldError, ManifestError
from coworld.manifest.package import CoworldPackage
from coworld.manifest.published import published_errors
from coworld.manifest.validation import certification_player_problems
from coworld.models import coworld_episode_request_schema
from coworld.models.launch_specs import PlayerLaunchSpec
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.models.transcript import CoworldTranscript, SourceUrlResult, StepResult
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.episode_request import fixture_request, load_request, parse_request, request_document
from coworld.runner.failures import RunnerEpisodeError, RunnerErrorType
from coworld.runner.player_files import fixture_player_files, player_file_spec
from coworld.runner.runner import default_engine
from coworld.schema.validation import load_json_object, validate_json_schema

__all__ = [
    "CertificationResult",
    "HookedCandidate",
    "build_coworld_episode_job_spec",
    "build_episode_request",
    "build_manifest_episode_job_spec",
    "build_player_launch_specs",
    "certification_player_file_paths",
    "inspect_source_references",
    "load_coworld_episode_job_spec",
    "load_manifest_episode_job_spec",
    "load_results",
    "request_commissioner_once",
    "run_certification_commissioner",
    "run_certification_supporting_roles",
    "validate_certification_references",
    "validate_image_references",
    "validate_players_ran",
    "validate_reporter_references",
]

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class CertificationResult:
    """A finished certification."""

    package: CoworldPackage
    artifacts: EpisodeArtifacts
    episode_request: JsonObject
    results: JsonObject
    reporter_references: list[str]
    transcript: CoworldTranscript
    step_results: list[StepResult]
    matriculated_at: datetime
    graduated_at: datetime
    report: CertificationReport


@dataclass
class HookedCandidate(Candidate):
    """A candidate whose caller replaces parts of the work; a hook that is None runs the default."""

    episode_runner: Callable[[CoworldEpisodeJobSpec, EpisodeArtifacts, float], object] | None = None
    image_reachability_checker: Callable[[CoworldPackage], object] | None = None
    replay_loadable_checker: Callable[[CoworldPackage, EpisodeArtifacts], object] | None = None
    supporting_roles_runner: Callable[[CoworldPackage, EpisodeArtifacts, float], tuple[list[str], str]] | None = field(
        default=None
    )

    @property
    def is_complete(self) -> bool:
        parts = (self.episode_runner, self.image_reachability_checker, self.replay_loadable_checker)
        return all(part is None for part in (*parts, self.supporting_roles_runner))

    def resolve_images(self) -> list[str]:
        if self.image_reachability_checker is None:
            return super().resolve_images()
        try:
            self.image_reachability_checker(self.opened)
        except Exception as error:
            raise CoworldError(str(error)) from error
        return ["checked by the caller"]

    def play(self, request: CoworldEpisodeJobSpec) -> None:
        if self.episode_runner is None:
            return super().play(request)
        with _as_failure("platform_error"):
            self.episode_runner(request, self.artifacts, self.timeout_seconds)

    def load_replay(self) -> None:
        if self.replay_loadable_checker is None:
            return super().load_replay()
        with _as_failure("replay_unloadable"):
            self.replay_loadable_checker(self.opened, self.artifacts)

    def check_roles(self) -> tuple[list[str], str]:
        if self.supporting_roles_runner is None:
            return super().check_roles()
        try:
            return self.supporting_roles_runner(self.opened, self.artifacts, self.timeout_seconds)
        except CoworldError:
            raise
        except Exception as error:
            raise CoworldError(str(error)) from error


@contextmanager
def _as_failure(error_type: RunnerErrorType) -> Iterator[None]:
    """Convert an exception of a caller's hook to a failure of this type, unless it has a type already."""
    try:
        yield
    except RunnerEpisodeError:
        raise
    except Exception as error:
        raise RunnerEpisodeError(str(error), error_type=error_type) from error


# Episode requests


def build_manifest_episode_job_spec(
    package: CoworldPackage,
    *,
    variant_id: str | None = None,
    player_images: list[str] | None = None,
    player_run: list[str] | None = None,
    player_files: Sequence[Path] | None = None,
) -> CoworldEpisodeJobSpec:
    """Build the episode of the fixture or of a variant, with its own players or others; raises CoworldError."""
    files = player_files
    if files is None and package.manifest.game.player_runtime == "game-hosted":
        files = fixture_player_files(package)
    return fixture_request(
        package,
        variant_id=variant_id,
        images=player_images or (),
        run=player_run or (),
        player_files=[player_file_spec(path) for path in files or ()],
    )


def build_episode_request(package: CoworldPackage, artifacts: EpisodeArtifacts) -> JsonObject:
    """Build the request of the certification's episode as it is written to a file; `artifacts` is not used."""
    return request_document(build_manifest_episode_job_spec(package))


def build_coworld_episode_job_spec(episode_request: JsonObject) -> CoworldEpisodeJobSpec:
    """Parse a request document; raises `pydantic.ValidationError`."""
    with published_errors():
        return parse_request(episode_request)


def load_coworld_episode_job_spec(episode_request_path: Path) -> CoworldEpisodeJobSpec:
    """Read and parse a request file.

    Raises SourceError (not readable), `jsonschema.ValidationError` or `pydantic.ValidationError` (not valid).
    """
    return _loaded(episode_request_path, None)


def load_manifest_episode_job_spec(package: CoworldPackage, episode_request_path: Path) -> CoworldEpisodeJobSpec:
    """Read a request file for this package; raises CoworldError too when the request is for another package."""
    return _loaded(episode_request_path, package)


def _loaded(path: Path, package: CoworldPackage | None) -> CoworldEpisodeJobSpec:
    try:
        with published_errors():
            return load_request(path, package=package)
    except ValidationError:
        validate_json_schema(load_json_object(path), coworld_episode_request_schema())
        raise  # the JSON Schema does not have the rules over several fields


def build_player_launch_specs(episode_request: JsonObject) -> list[PlayerLaunchSpec]:
    """Return the launch spec of each seat that has an image."""
    players = parse_request(episode_request).players
    return [PlayerLaunchSpec.from_model(player) for player in players if isinstance(player, CoworldRunnableSpec)]


def certification_player_file_paths(package: CoworldPackage, slot_count: int) -> list[Path]:
    """Return the player file of each slot for a game that hosts its players, cycling through the fixture's."""
    files = fixture_player_files(package)
    return [files[slot % len(files)] for slot in range(slot_count)]


# Single checks


def validate_certification_references(package: CoworldPackage) -> None:
    """Raise ManifestError when a seat of the fixture names an unknown player."""
    if problems := certification_player_problems(package.manifest):
        raise ManifestError(problems, text=problems[0].message)


def validate_reporter_references(package: CoworldPackage) -> list[str]:
    """Return the kind of each reporter; raises ReporterCertificationError."""
    return roles.check_reporters(package)


def validate_image_references(package: CoworldPackage, *, require_linux_amd64: bool = False) -> None:
    """Raise EngineError when an image cannot be run here. Images for containers are for linux/amd64 in any case."""
    resolve_images(package, _engine(package))


def validate_players_ran(package: CoworldPackage, artifacts: EpisodeArtifacts) -> None:
    """Raise CoworldError when the game or a player left no log of the episode."""
    if missing := missing_players(package, artifacts):
        raise CoworldError("\n- ".join(["the game or a player did not run in the episode:", *missing]))


def load_results(package: CoworldPackage, artifacts: EpisodeArtifacts) -> JsonObject:
    """Read the results; raises SourceError (not readable) or `jsonschema.ValidationError` (not valid)."""
    results = load_json_object(artifacts.results_path)
    validate_json_schema(results, package.results_schema)
    return results


def inspect_source_references(package: CoworldPackage) -> list[SourceUrlResult]:
    """Look up every declared source; uses the network, and no credentials."""
    return inspect_sources(package.manifest, look=True)


# Supporting roles


async def request_commissioner_once(
    *,
    ws_url: str,
    request: ScheduleRoundsRequest,
    response_type: type[ScheduleRoundsResponse],
    timeout_seconds: float,
    ping_timeout_seconds: float = 30.0,
) -> ScheduleRoundsResponse:
    """Send one message and return the answer; raises CommissionerProbeError."""
    try:
        return await asyncio.to_thread(
            ask_commissioner,
            ws_url,
            request,
            response_type,
            timeout_seconds=timeout_seconds,
            ping_timeout_seconds=ping_timeout_seconds,
        )
    except CommissionerError as error:
        raise roles.CommissionerProbeError(str(error), hint=error.hint) from None


def run_certification_commissioner(
    commissioner_id: str, commissioner: CoworldRunnableSpec, artifacts: EpisodeArtifacts, *, timeout_seconds: float
) -> ScheduleRoundsResponse:
    """Start a commissioner and ask it to schedule rounds; raises CommissionerProbeError."""
    return roles.ask_to_schedule(
        commissioner_id, commissioner, default_engine(), artifacts.workspace, budget_seconds=timeout_seconds
    )


def run_certification_supporting_roles(
    package: CoworldPackage, artifacts: EpisodeArtifacts, *, timeout_seconds: float
) -> tuple[list[str], str]:
    """Check the reporters and return their kinds, with a sentence about the other roles.

    Raises ReporterCertificationError, CommissionerProbeError.
    """
    return roles.check_supporting_roles(package, _engine(package), artifacts.workspace, budget_seconds=timeout_seconds)


def _engine(package: CoworldPackage) -> Engine:
    from coworld.engines.choice import choose_engine
    from coworld.engines.local_images import LocalImages

    return choose_engine("auto", LocalImages.beside(package.path))
