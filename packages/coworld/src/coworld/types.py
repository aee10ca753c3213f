"""The documents of a Coworld: models of the manifest, of episode requests, of seats and of certification transcripts.

The models are the truth. `coworld_manifest_schema.json` and `runner/episode_request_schema.json` beside this file are
written from them by `scripts/coworld_schemas.py`.
"""

from __future__ import annotations

from typing import Any, Literal

from coworld.models.base import HTTP_URL_PATTERN, SCHEMA_VERSION
from coworld.models.documents import (
    CoworldDoc,
    CoworldDocPage,
    CoworldDocs,
    CoworldEngineRuntime,
    CoworldProtocolDocs,
    CoworldTextDoc,
    CoworldUriDoc,
)
from coworld.models.game import (
    CoworldAchievement,
    CoworldGameLog,
    CoworldGameManifest,
    CoworldLogPanel,
    CoworldMemory,
    CoworldPlayerRuntime,
    CoworldPromo,
    CoworldReplayViewer,
)
from coworld.models.manifest import (
    COWORLD_MANIFEST_V0,
    COWORLD_MANIFEST_V1,
    DEFAULT_EPISODE_TIMEOUT_MINUTES,
    MAX_EPISODE_TIMEOUT_MINUTES,
    CoworldCertificationFixture,
    CoworldCertificationPlayer,
    CoworldManifest,
    CoworldManifestV1,
    CoworldVariant,
)
from coworld.models.reporters import (
    CoworldReporterContainer,
    CoworldReporterPlatformReference,
    CoworldReporterReference,
    CoworldReporterWasmReference,
)
from coworld.models.requests import (
    PLAYER_FILE_CONTENT_HASH_PATTERN,
    CoworldEpisodeJobSpec,
    CoworldEpisodePlayerSpec,
    CoworldHumanPlayerSpec,
    CoworldPlayerFileSpec,
)
from coworld.models.runnables import (
    MANIFEST_ROLE_SECTIONS,
    CoworldManifestRoleSpec,
    CoworldPlayerStartup,
    CoworldResourceLimits,
    CoworldResourceRequests,
    CoworldRunnableResources,
    CoworldRunnableSpec,
)
from coworld.models.seats import (
    CoworldPlayerSeat,
    CoworldPlayerSeats,
    CoworldPlayerSeatsSchema,
    CoworldPlayHumanSeat,
    CoworldPlayPolicySeat,
)
from coworld.models.task_environments import CoworldTaskEnvironment
from coworld.models.transcript import CoworldTranscript, SourceUrlResult, StepResult, TranscriptStep, TranscriptStepKind

__all__ = [
    "COWORLD_MANIFEST_V0",
    "COWORLD_MANIFEST_V1",
    "DEFAULT_EPISODE_TIMEOUT_MINUTES",
    "HTTP_URL_PATTERN",
    "MANIFEST_ROLE_SECTIONS",
    "MAX_EPISODE_TIMEOUT_MINUTES",
    "PLAYER_FILE_CONTENT_HASH_PATTERN",
    "REPLAY_VIEWER_BUNDLE_DIGEST_PATTERN",
    "SCHEMA_VERSION",
    "CoworldAchievement",
    "CoworldCertificationFixture",
    "CoworldCertificationPlayer",
    "CoworldDoc",
    "CoworldDocPage",
    "CoworldDocs",
    "CoworldEngineRuntime",
    "CoworldEpisodeJobSpec",
    "CoworldEpisodePlayerSpec",
    "CoworldGameLog",
    "CoworldGameManifest",
    "CoworldHumanPlayerSpec",
    "CoworldLogPanel",
    "CoworldManifest",
    "CoworldManifestRole",
    "CoworldManifestRoleSpec",
    "CoworldManifestV1",
    "CoworldMemory",
    "CoworldPlayHumanSeat",
    "CoworldPlayPolicySeat",
    "CoworldPlayerFileSpec",
    "CoworldPlayerRuntime",
    "CoworldPlayerSeat",
    "CoworldPlayerSeats",
    "CoworldPlayerSeatsSchema",
    "CoworldPlayerStartup",
    "CoworldPromo",
    "CoworldProtocolDocs",
    "CoworldReplayViewer",
    "CoworldReporterContainer",
    "CoworldReporterPlatformReference",
    "CoworldReporterReference",
    "CoworldReporterWasmReference",
    "CoworldResourceLimits",
    "CoworldResourceRequests",
    "CoworldRunnableResources",
    "CoworldRunnableRole",
    "CoworldRunnableSpec",
    "CoworldTaskEnvironment",
    "CoworldTextDoc",
    "CoworldTranscript",
    "CoworldUriDoc",
    "CoworldVariant",
    "JsonSchema",
    "RuntimeManifest",
    "SourceUrlResult",
    "StepResult",
    "TranscriptStep",
    "TranscriptStepKind",
    "coworld_episode_request_schema",
    "coworld_manifest_schema",
]

REPLAY_VIEWER_BUNDLE_DIGEST_PATTERN = "^sha256:[0-9a-f]{64}$"

CoworldManifestRole = Literal["player", "reporter", "commissioner", "grader", "diagnoser", "optimizer"]
CoworldRunnableRole = Literal["game", "player", "reporter", "commissioner", "grader", "diagnoser", "optimizer"]
JsonSchema = dict[str, Any]

RuntimeManifest = CoworldManifest
"""The runtime form of every version of the format."""


def coworld_manifest_schema() -> dict[str, Any]:
    """Return the JSON Schema of a manifest, for editors and other languages, without the rules over several fields."""
    return CoworldManifest.model_json_schema(by_alias=True)


def coworld_episode_request_schema() -> dict[str, Any]:
    """Return the JSON Schema of an episode request."""
    return CoworldEpisodeJobSpec.model_json_schema(by_alias=True)
