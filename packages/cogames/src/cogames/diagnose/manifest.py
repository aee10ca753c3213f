"""The manifest of a run: everything needed to repeat it."""

import shlex
import subprocess
import sys
import uuid
from datetime import UTC, datetime

from pydantic import BaseModel

from cogames.diagnose.note import SCHEMA_VERSION
from cogames.diagnose.options import ABSOLUTE_SEED, MIRROR_SEED, STAGE1_SEED, DiagnoseOptions
from cogames.diagnose.pack import PACK_ID, PACK_VERSION
from cogames.diagnose.stability import InterpretationStability
from cogames.diagnose.status import VisitStatus
from cogames.diagnose.validity import DiagnoseValidity

SEEDS = {"stage1": STAGE1_SEED, "stage2_absolute": ABSOLUTE_SEED, "stage2_mirror": MIRROR_SEED}


class RunIdentity(BaseModel):
    """The id and creation time of a run."""

    run_id: str
    created_at: str

    @classmethod
    def new(cls) -> "RunIdentity":
        now = datetime.now(UTC)
        run_id = f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:8]}"
        return cls(run_id=run_id, created_at=now.isoformat().replace("+00:00", "Z"))


class Manifest(BaseModel):
    schema_version: str
    run_id: str
    created_at: str
    command: str
    git_sha: str | None
    pack_id: str
    pack_version: str
    mission_set: str
    policy: str
    scripted_baseline_policy: str | None
    known_strong_policy: str | None
    stage_status: str
    run_status: str
    seeds: dict[str, int]
    artifact_files: list[str]
    interpretation_stability: InterpretationStability
    diagnose_validity: DiagnoseValidity


def write_manifest(
    identity: RunIdentity,
    options: DiagnoseOptions,
    status: VisitStatus,
    stability: InterpretationStability,
    validity: DiagnoseValidity,
    files: list[str],
) -> Manifest:
    return Manifest(
        schema_version=SCHEMA_VERSION,
        run_id=identity.run_id,
        created_at=identity.created_at,
        command=shlex.join(sys.argv),
        git_sha=_git_sha(),
        pack_id=PACK_ID,
        pack_version=PACK_VERSION,
        mission_set=options.mission_set,
        policy=options.policy,
        scripted_baseline_policy=options.scripted_baseline_policy,
        known_strong_policy=options.known_strong_policy,
        stage_status=status.stage_status,
        run_status=status.run_status,
        seeds=SEEDS,
        artifact_files=files,
        interpretation_stability=stability,
        diagnose_validity=validity,
    )


def _git_sha() -> str | None:
    """Return the commit of the working folder; None outside a repository or without git."""
    try:
        answer = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None
