"""The steps of a certification: each returns a sentence about its result, or raises StepFailed."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coworld.certification import roles
from coworld.certification.report import ProfileVerdict, ReportedWarning
from coworld.certification.sources import inspect_sources
from coworld.engines.base import Engine, EngineError
from coworld.errors import CoworldError, ManifestError, Problem, SourceError
from coworld.manifest.lift import with_readme
from coworld.manifest.package import CoworldPackage
from coworld.manifest.profiles import DEFAULT_PROFILES, Profile, manifest_warnings, profile_problems
from coworld.manifest.reader import read_authored_manifest, read_downloaded_manifest
from coworld.manifest.validation import duplicate_player_problems
from coworld.models.reporters import CoworldReporterContainer, CoworldReporterWasmReference
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS, is_sha256_reference
from coworld.models.transcript import SourceUrlResult
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.episode_request import fixture_request
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.game_hosted import LOG_MISSING
from coworld.runner.options import EpisodeOptions
from coworld.runner.player_files import fixture_player_files, player_file_spec
from coworld.runner.replay import require_replay
from coworld.runner.results import read_results
from coworld.runner.runner import run_episode, verify_reconnect, verify_replay
from coworld.runner.viewer_bundle import check_viewer_bundle
from coworld.schema.validation import parse_json_object

MAX_PROBLEMS = 50
"""of a manifest, shown at once"""


class StepFailed(Exception):
    """A failed step, with its reason and the problem."""

    def __init__(self, reason: str, feedback: str) -> None:
        super().__init__(feedback)
        self.reason, self.feedback = reason, feedback


@dataclass
class Candidate:
    """The Coworld under certification, and the results of the steps so far."""

    path: Path
    data: bytes
    """the manifest as it was when the certification began"""
    engine: Engine
    workspace: Path
    timeout_seconds: float
    profile: Profile | None = None
    accepted: Sequence[Profile] = DEFAULT_PROFILES
    """one of these has to pass without a `profile`"""
    check_sources: bool = False
    package: CoworldPackage | None = None
    profiles: list[ProfileVerdict] = field(default_factory=list)
    warnings: list[ReportedWarning] = field(default_factory=list)
    sources: list[SourceUrlResult] | None = None
    results: dict[str, Any] | None = None
    player_files: list[Path] | None = None
    request: CoworldEpisodeJobSpec | None = None
    reporters: list[str] = field(default_factory=list)
    _config_problems: list[Problem] = field(default_factory=list)

    @property
    def opened(self) -> CoworldPackage:
        assert self.package is not None, "the first step opens the package"
        return self.package

    @property
    def is_complete(self) -> bool:
        """Return whether every step runs in full, so that a success may be cached."""
        return True

    @property
    def artifacts(self) -> EpisodeArtifacts:
        return EpisodeArtifacts.at(self.workspace)

    # The steps

    def matriculate(self) -> str:
        try:
            document = parse_json_object(self.data, name=str(self.path), unique_keys=True)
            complete = with_readme(document)  # profiles say whether one may be missing
            try:
                manifest = read_authored_manifest(complete)
            except ManifestError as error:
                configs = [problem for problem in error.problems if _about_a_config(problem)]
                if len(configs) < len(error.problems):
                    raise
                # A later step checks its configurations.
                self._config_problems = configs
                manifest = read_downloaded_manifest(complete)
            if problems := duplicate_player_problems(manifest):
                raise ManifestError(problems, text=problems[0].message)
        except ManifestError as error:
            raise StepFailed("manifest_invalid", _summary(error.problems)) from None
        except CoworldError as error:
            raise StepFailed("manifest_invalid", str(error)) from None
        self.package = CoworldPackage.of(manifest, self.path, document)
        verdicts = profile_problems(manifest, has_readme=complete is document)
        self.profiles = [
            ProfileVerdict(profile=name, passes=not problems, problems=_as_warnings(problems))
            for name, problems in verdicts.items()
        ]
        profiles = [self.profile] if self.profile else list(self.accepted)
        passing = [name for name in profiles if not verdicts[name]]
        if not passing:
            summary = "; ".join(f"profile {name}: {_summary(verdicts[name])}" for name in reversed(profiles))
            raise StepFailed("manifest_invalid", summary)
        self.warnings = _as_warnings(manifest_warnings(manifest))
        return f"passes by the profiles: {', '.join(name for name in verdicts if not verdicts[name])}"

    def source_resolves(self) -> str:
        self.sources = inspect_sources(self.opened.manifest, look=self.check_sources)
        counts: dict[str, int] = {}
        for source in self.sources:
            counts[source.status] = counts.get(source.status, 0) + 1
        return ", ".join(f"{count} {status}" for status, count in counts.items())

    def images_reachable(self) -> str:
        try:
            return "; ".join(self.resolve_images()) or "no images are declared"
        except CoworldError as error:
            raise StepFailed("image_unreachable", str(error)) from None

    def resolve_images(self) -> list[str]:
        """Return how each image can run on this machine; raises CoworldError."""
        return resolve_images(self.opened, self.engine)

    def fixture_conforms(self) -> str:
        if self._config_problems:
            raise StepFailed("fixture_invalid", _summary(self._config_problems))
        return f"{len(self.opened.manifest.variants)} variants and the fixture"

    def smoke_episode(self) -> str:
        package = self.opened
        files = None
        try:
            if package.manifest.game.player_runtime == "game-hosted":
                files = self.player_files = fixture_player_files(package)
            seats = [player_file_spec(path) for path in files or ()]
            request = self.request = fixture_request(package, player_files=seats)
        except CoworldError as error:
            raise StepFailed("platform_error", str(error)) from None
        began = time.monotonic()
        self._checked(lambda: self.play(request))
        return f"{len(request.players)} seats, {time.monotonic() - began:.1f} s"

    def play(self, request: CoworldEpisodeJobSpec) -> None:
        """Play the episode with every probe; raises RunnerEpisodeError."""
        options = EpisodeOptions(
            budget_seconds=self.timeout_seconds,
            validate_results=False,
            thorough=True,
            prefix="coworld-cert",
            player_files=self.player_files,
        )
        outcome = run_episode(self.opened, request, engine=self.engine, workspace=self.workspace, options=options)
        if outcome.error is not None:
            raise outcome.error.exception()
        if self.player_files is None:
            verify_reconnect(request, engine=self.engine, budget_seconds=self.timeout_seconds)

    def results_conform(self) -> str:
        slots = len(self.opened.manifest.certification.players)
        self.results = self._checked(
            lambda: read_results(self.artifacts.results_path, self.opened.results_schema, slots)
        )
        scores = self.results.get("scores") if self.results else None
        return f"scores {scores}" if scores else "no scores"

    def replay_present(self) -> str:
        self._checked(lambda: require_replay(self.artifacts.replay_path))
        return f"{self.artifacts.replay_path.stat().st_size} bytes"

    def replay_loadable(self) -> str:
        viewer = self.opened.manifest.game.replay_viewer
        if viewer is None:
            self._checked(self.load_replay)
            return "the game shows it"
        if not is_sha256_reference(viewer.bundle):
            try:
                check_viewer_bundle(self.opened.file(viewer.bundle))
            except SourceError as error:
                raise StepFailed("replay_unloadable", f"the static viewer: {error}") from None
        return f"static pages {viewer.bundle}"

    def load_replay(self) -> None:
        """Start the game again to show its replay; raises RunnerEpisodeError."""
        verify_replay(
            self.opened.manifest,
            self.artifacts.replay_path,
            engine=self.engine,
            budget_seconds=self.timeout_seconds,
            log_to=self.artifacts,
        )

    def players_run(self) -> str:
        if missing := missing_players(self.opened, self.artifacts):
            raise StepFailed("players_missing", "; ".join(missing))
        seated = [seat.player_id for seat in self.opened.manifest.certification.players]
        return f"{len(set(seated))} players in {len(seated)} seats"

    def supporting_roles(self) -> str:
        try:
            self.reporters, summary = self.check_roles()
        except roles.ReporterCertificationError as error:
            raise StepFailed("reporter_failed", str(error)) from None
        except roles.CommissionerProbeError as error:
            raise StepFailed("commissioner_protocol_failed", str(error)) from None
        except (CoworldError, OSError) as error:
            raise StepFailed("supporting_roles_failed", str(error)) from None
        return summary

    def check_roles(self) -> tuple[list[str], str]:
        return roles.check_supporting_roles(
            self.opened, self.engine, self.workspace, budget_seconds=self.timeout_seconds
        )

    def _checked(self, check: Callable[[], Any]) -> Any:
        try:
            return check()
        except RunnerEpisodeError as error:
            slot = "" if error.failed_policy_index is None else f" (slot {error.failed_policy_index})"
            raise StepFailed(error.error_type, f"{error}{slot}") from None

    def key_parts(self) -> list[bytes]:
        """Return all inputs of the outcome, except the tool."""
        parts = [self.data, (self.profile or ",".join(self.accepted)).encode(), self.engine.name.encode()]
        if self.package is not None:
            for where, image in image_references(self.package):
                parts += [where.encode(), self.engine.fingerprint(image).encode()]
            for path in self.player_files or ():
                parts.append(player_file_spec(path).content_hash.encode())
            parts += package_file_digests(self.package)
        return parts

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def package_file_digests(package: CoworldPackage) -> list[bytes]:
    """Return digests of the reporter components and the static viewer of a package, with their paths."""
    components = [each.wasm for each in package.manifest.reporter if isinstance(each, CoworldReporterWasmReference)]
    paths = [package.root / name for name in components]
    viewer = package.manifest.game.replay_viewer
    if viewer is not None and not is_sha256_reference(viewer.bundle):
        paths += sorted((package.root / viewer.bundle).rglob("*"))
    files = [path for path in paths if path.is_file()]
    return [
        f"{path.relative_to(package.root)}\0".encode() + hashlib.sha256(path.read_bytes()).digest() for path in files
    ]


def missing_players(package: CoworldPackage, artifacts: EpisodeArtifacts) -> list[str]:
    """Return a sentence for each participant of the episode that left no log, and for players without a seat."""
    missing = []
    if not artifacts.game_stdout_path.exists() or not artifacts.game_stderr_path.exists():
        missing.append("the game left no launch log")
    seated = [seat.player_id for seat in package.manifest.certification.players]
    if absent := [player.id for player in package.manifest.player if player.id not in seated]:
        missing.append(f"certification.players has no seat for {', '.join(absent)}: add a seat for each")
    for slot, player_id in enumerate(seated):
        path = artifacts.policy_log_path(slot)
        if not path.exists() or path.read_bytes() == LOG_MISSING.encode():
            missing.append(f"{player_id!r} in slot {slot} left no launch log")
    return missing


def image_references(package: CoworldPackage) -> list[tuple[str, str]]:
    """Return every image of the manifest with its path."""
    manifest = package.manifest
    references = [("game", manifest.game.runnable.image)]
    for section in MANIFEST_ROLE_SECTIONS:
        references += [(f"{section}:{entry.id}", entry.image) for entry in getattr(manifest, section) if entry.image]
    for reporter in manifest.reporter:
        if isinstance(reporter, CoworldReporterContainer):
            references.append((f"reporter:{reporter.id}", reporter.image))
    return references


def resolve_images(package: CoworldPackage, engine: Engine) -> list[str]:
    """Return how each image of the manifest can run; raises EngineError for the first that cannot."""
    lines = []
    for where, image in image_references(package):
        try:
            lines.append(f"{where}: {engine.resolve(image).how}")
        except EngineError as error:
            raise EngineError(f"{where}: {error}") from None
    return lines


def _about_a_config(problem: Problem) -> bool:
    return problem.path.startswith(("variants[", "certification.game_config")) and ".game_config" in problem.path


def _summary(problems: Any) -> str:
    listed = list(problems)
    more = f"; and {len(listed) - MAX_PROBLEMS} more" if len(listed) > MAX_PROBLEMS else ""
    return "; ".join(f"{problem} ({problem.fix})" for problem in listed[:MAX_PROBLEMS]) + more


def _as_warnings(problems: list[Problem]) -> list[ReportedWarning]:
    return [ReportedWarning(path=problem.path, message=problem.message, fix=problem.fix) for problem in problems]
