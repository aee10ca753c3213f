"""Certify a Coworld: ten steps, the first failure stops.

report = certify(Path("coworld_manifest.json"), engine=ProcessEngine(...))
report.certified, report.failure_reason
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from coworld.certification.cache import certification_key, remember, remembered
from coworld.certification.published import *  # noqa: F403
from coworld.certification.published import CertificationResult, HookedCandidate
from coworld.certification.published import __all__ as _PUBLISHED
from coworld.certification.report import CertificationReport, ReportedStep, step_line
from coworld.certification.roles import (
    CommissionerProbeError,
    ReporterCertificationError,
    certification_schedule_rounds_request,
)
from coworld.certification.sources import GitHubSource
from coworld.certification.steps import Candidate, StepFailed, image_references
from coworld.certification.transcript import EXECUTABLE_TRANSCRIPT_PATH, load_executable_transcript, load_transcript
from coworld.engines.base import Engine
from coworld.errors import CoworldError, SourceError
from coworld.manifest.package import MANIFEST_NAME, CoworldPackage, load_package
from coworld.manifest.profiles import DEFAULT_PROFILES, Profile
from coworld.manifest.published import published_errors
from coworld.models.docs import CoworldProtocolDocs
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.transcript import CoworldTranscript, SourceUrlResult, StepResult, TranscriptStep
from coworld.runner.artifacts import EpisodeArtifacts, write_file
from coworld.runner.episode_request import CERTIFICATION_EPISODE_SOURCE, request_document
from coworld.runner.lock import sole_use
from coworld.runner.runner import (
    GAME_HOSTED_PLAYER_LOG_MISSING,
    LOCAL_EPISODE_CONTAINER_PREFIX,
    PlayerLaunchSpec,
    RunnableLaunchSpec,
    RunnerEpisodeError,
    run_coworld_episode,
)
from coworld.uris.manifests import local_path

__all__ = [
    *_PUBLISHED,
    "CERTIFICATION_EPISODE_SOURCE",
    "EXECUTABLE_TRANSCRIPT_PATH",
    "GAME_HOSTED_PLAYER_LOG_MISSING",
    "LOCAL_EPISODE_CONTAINER_PREFIX",
    "LOG_RICHNESS_TIER_0_REASON",
    "CertificationFailed",
    "CertificationReport",
    "CertifierEpisodeRunner",
    "CommissionerProbeError",
    "CoworldEpisodeJobSpec",
    "CoworldPackage",
    "CoworldProtocolDocs",
    "CoworldTranscript",
    "EpisodeArtifacts",
    "GitHubSource",
    "PlayerLaunchSpec",
    "ReporterCertificationError",
    "RunnableLaunchSpec",
    "RunnerEpisodeError",
    "SourceUrlResult",
    "StepResult",
    "TranscriptStep",
    "certification_schedule_rounds_request",
    "certify",
    "certify_coworld",
    "compute_log_richness",
    "image_references",
    "is_certified",
    "load_coworld_package",
    "load_executable_transcript",
    "load_transcript",
    "run_coworld_episode",
    "step_line",
]

LOG_RICHNESS_TIER_0_REASON = (
    "tier 0: neither game.log nor x-display in the manifest; tier 1 if the game writes events.json"
)
OnStep = Callable[[StepResult, TranscriptStep], None]
CertifierEpisodeRunner = Callable[[CoworldEpisodeJobSpec, EpisodeArtifacts, float], object]
"""plays the episode of a certification within so many seconds, and raises when it fails"""


class CertificationFailed(CoworldError):
    """`certify_coworld` did not complete the transcript."""

    def __init__(self, report: CertificationReport) -> None:
        failed = report.failed_step
        assert failed is not None
        super().__init__(f"{failed.id}: {failed.failure_reason}: {failed.feedback}")
        self.report = report


def certify(
    manifest: CoworldPackage | Path | str,
    *,
    engine: Engine,
    profile: Profile | None = None,
    accepted: Sequence[Profile] = DEFAULT_PROFILES,
    workspace: Path | None = None,
    timeout_seconds: float = 60.0,
    check_sources: bool = False,
    on_step: OnStep | None = None,
    uri: str | None = None,
) -> CertificationReport:
    """Run the transcript and leave the episode's files and `certification_report.html` in `workspace`.

    `profile` asks for one generation's rules; without it one of `accepted` has to pass, and the report says which pass.
    The network is used only with `check_sources`. A success is remembered (`is_certified`). `uri` is what the report
    calls the manifest. Raises SourceError when there is no manifest to read.
    """
    path = manifest.path if isinstance(manifest, CoworldPackage) else _manifest_path(manifest)
    data = _read_manifest(path)
    with contextlib.ExitStack() as stack:
        if workspace is not None:
            stack.enter_context(sole_use(workspace))
        candidate = Candidate(
            path,
            data,
            engine,
            _prepared(workspace),
            timeout_seconds,
            profile=profile,
            accepted=accepted,
            check_sources=check_sources,
        )
        return _run_steps(candidate, on_step, uri or str(path))


def _read_manifest(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} could not be read: {error.strerror}", hint="check the path") from None


def _prepared(workspace: Path | None) -> Path:
    try:
        return EpisodeArtifacts.create(workspace).workspace
    except OSError as error:
        raise SourceError(f"{workspace} cannot hold an episode: {error.strerror}", hint="name another folder") from None


def _run_steps(candidate: Candidate, on_step: OnStep | None, uri: str) -> CertificationReport:
    engine, workspace = candidate.engine, candidate.workspace
    report = CertificationReport(
        manifest_uri=uri,
        manifest_sha256=candidate.digest,
        certified=False,
        label=f"executable ({engine.name})",
        engine=engine.name,
        isolation=engine.level,
        steps=[],
        workspace=str(candidate.workspace),
        matriculated_at=datetime.now(UTC),
    )
    for step in load_executable_transcript().steps:
        done = _run_step(candidate, step, on_step)
        report.steps.append(done)
        if done.status == "fail":
            break
    _complete(report, candidate)
    write_file(workspace / "certification_report.html", report.html().encode())
    if report.graduated_at is not None and candidate.is_complete:
        entry = {"name": report.name, "version": report.version, "at": report.graduated_at.isoformat()}
        remember(certification_key(candidate.key_parts()), entry)
    return report


def _manifest_path(reference: Path | str) -> Path:
    path = local_path(str(reference))
    return path / MANIFEST_NAME if path.is_dir() else path


def _run_step(candidate: Candidate, step: TranscriptStep, on_step: OnStep | None) -> ReportedStep:
    def report_step(done: ReportedStep) -> ReportedStep:
        if on_step is not None:
            on_step(done, step)
        return done

    report_step(ReportedStep(id=step.id, kind=step.kind, status="running", checks=step.checks))
    began = time.monotonic()
    work: Callable[[], str] = getattr(candidate, step.id.replace("-", "_"))
    done = ReportedStep(id=step.id, kind=step.kind, checks=step.checks)
    try:
        done.detail = work()
    except StepFailed as failure:
        done.status, done.failure_reason, done.feedback = "fail", failure.reason, failure.feedback
    done.seconds = round(time.monotonic() - began, 3)
    if step.id == "source-resolves":
        done.source_url_results = candidate.sources
    return report_step(done)


def _complete(report: CertificationReport, candidate: Candidate) -> None:
    """Add the results of the steps to the report."""
    report.certified = report.failed_step is None
    report.profiles, report.warnings = candidate.profiles, candidate.warnings
    if candidate.package is not None:
        game = candidate.package.manifest.game
        report.name, report.version = game.name, game.version
        report.log_richness_tier, report.log_richness_reason = compute_log_richness(candidate.package.manifest)
    scores = (candidate.results or {}).get("scores")
    report.scores = [float(score) for score in scores] if isinstance(scores, list) else None
    if report.certified:
        report.graduated_at = datetime.now(UTC)


def is_certified(package: CoworldPackage, *, engine: Engine, profile: Profile | None = None) -> bool:
    """Whether this very manifest with these very programs has passed before, by this version of the tool."""
    from coworld.runner.player_files import fixture_player_files

    candidate = Candidate(package.path, package.path.read_bytes(), engine, Path(), 0.0, profile=profile)
    candidate.package = package
    try:
        if package.manifest.game.player_runtime == "game-hosted":
            candidate.player_files = fixture_player_files(package)
        return remembered(certification_key(candidate.key_parts())) is not None
    except (CoworldError, OSError):
        return False


def certify_coworld(
    manifest_path: Path,
    *,
    workspace: Path | None = None,
    timeout_seconds: float = 60.0,
    on_step: OnStep | None = None,
    episode_runner: CertifierEpisodeRunner | None = None,
    image_reachability_checker: Callable[[CoworldPackage], object] | None = None,
    replay_loadable_checker: Callable[[CoworldPackage, EpisodeArtifacts], object] | None = None,
    supporting_roles_runner: Callable[[CoworldPackage, EpisodeArtifacts, float], tuple[list[str], str]] | None = None,
    engine: Engine | None = None,
) -> CertificationResult:
    """The published entry: raises CertificationFailed, whose `report` says why.

    The functions take over parts of the work and raise when something is wrong.
    """
    if engine is None:
        from coworld.engines.choice import choose_engine
        from coworld.engines.local_images import LocalImages

        engine = choose_engine("auto", LocalImages.beside(Path(manifest_path)))
    path = _manifest_path(manifest_path)
    candidate = HookedCandidate(
        path,
        _read_manifest(path),
        engine,
        _prepared(workspace),
        timeout_seconds,
        episode_runner=episode_runner,
        image_reachability_checker=image_reachability_checker,
        replay_loadable_checker=replay_loadable_checker,
        supporting_roles_runner=supporting_roles_runner,
    )
    report = _run_steps(candidate, on_step, str(path))
    if not report.certified:
        raise CertificationFailed(report)
    assert candidate.request is not None and candidate.results is not None and report.graduated_at is not None
    return CertificationResult(
        package=candidate.opened,
        artifacts=candidate.artifacts,
        episode_request=request_document(candidate.request),
        results=candidate.results,
        reporter_references=candidate.reporters,
        transcript=load_executable_transcript(),
        step_results=list(report.steps),
        matriculated_at=report.matriculated_at,
        graduated_at=report.graduated_at,
        report=report,
    )


def load_coworld_package(
    manifest_path: Path, *, require_certification_tags: bool = False, tolerate_newer_fields: bool = False
) -> CoworldPackage:
    """The published entry: read a package to run or certify it.

    Raises:
        SourceError: there is no such file, or it is not a JSON object.
        pydantic.ValidationError: the manifest has a wrong shape.
        ManifestError: the manifest breaks a rule over several fields.
    """
    with published_errors():
        return load_package(manifest_path, strict=not tolerate_newer_fields, require_tags=require_certification_tags)


def compute_log_richness(manifest: CoworldManifest) -> tuple[int, str]:
    """Return how much people see in the game's log, and why.

    Tier 2: the manifest says what events mean (`game.log`), or how to show results (`x-display` on a property of
    `game.results_schema`). Tier 0: neither; a game that writes `events.json` then makes it tier 1.
    """
    reasons = ["game.log hints declared"] if manifest.game.log is not None else []
    properties = manifest.game.results_schema.get("properties")
    fields = properties.items() if isinstance(properties, dict) else ()
    if displayed := sorted(name for name, field in fields if isinstance(field, dict) and "x-display" in field):
        reasons.append(f"results_schema x-display on {', '.join(displayed)}")
    return (2, "; ".join(reasons)) if reasons else (0, LOG_RICHNESS_TIER_0_REASON)
