"""Coworlds: games in any language behind one manifest, with players, supporting roles, a runner and a certifier.

The names below are looked up when they are used: importing `coworld` alone costs nothing.
"""

from importlib import import_module
from typing import Any

_EXPORTS = {
    "coworld.certification.certify": (
        "CertificationResult",
        "build_coworld_episode_job_spec",
        "build_episode_request",
        "build_player_launch_specs",
        "certify_coworld",
        "inspect_source_references",
        "load_executable_transcript",
        "load_results",
        "validate_image_references",
        "validate_players_ran",
        "load_coworld_package",
    ),
    "coworld.manifest.package": ("CoworldPackage",),
    "coworld.runner.play": (
        "PlayLinks",
        "PlayResult",
        "PlaySession",
        "ReplaySession",
        "build_play_links",
        "play_coworld",
        "replay_coworld",
    ),
    "coworld.runner.runner": (
        "EpisodeArtifacts",
        "EpisodeRunSpec",
        "PlayerLaunchSpec",
        "assert_docker_image_reachable",
        "run_coworld_episode",
        "run_episode_containers",
    ),
    "coworld.models": (
        "CoworldEpisodeJobSpec",
        "CoworldManifestRoleSpec",
        "CoworldRunnableSpec",
        "CoworldTranscript",
        "SourceUrlResult",
        "StepResult",
        "TranscriptStep",
    ),
}
_MODULES = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
