"""Rows of Coworlds and reporters as response models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy.orm import Session

from observatory.coworlds import manifests, references, reporters
from observatory.coworlds.names import name_key
from observatory.database.tables.coworlds import (
    Certification,
    CertificationState,
    Coworld,
    Reporter,
    ReporterVersion,
    RoleRun,
    Visibility,
)
from observatory.images.addresses import Registry
from observatory.public_ids import public_id
from observatory.settings import Settings
from observatory.store import Store
from softmax.wire.coworlds import (
    CertificationFailure,
    CertificationStatus,
    CertificationStep,
    CoworldResponse,
    CoworldRow,
    CoworldSummaryRow,
    ReporterRow,
    ReporterRowDetail,
    ReporterVersionRow,
    RoleOutputRow,
    RoleRunRow,
)

__all__ = [
    "certification_status",
    "coworld_response",
    "coworld_row",
    "coworld_summary",
    "reporter_detail",
    "reporter_row",
    "reporter_version_row",
    "role_run_row",
]


def coworld_response(session: Session, coworld: Coworld, settings: Settings) -> CoworldResponse:
    """Return a Coworld with a manifest whose images can be pulled."""
    base = settings.base_url()
    address = f"{base}/v2/coworlds/{public_id('cow', coworld.id)}"
    slug = name_key(coworld.name).replace(" ", "%20")
    return CoworldResponse(
        id=public_id("cow", coworld.id),
        name=coworld.name,
        version=coworld.version,
        visibility=_visibility(coworld),
        manifest=references.with_pull_addresses(session, coworld.manifest, Registry(base)),
        manifest_hash=coworld.manifest_hash,
        size_bytes=coworld.size_bytes,
        canonical=coworld.canonical,
        forum_markdown_url=f"{base}/v2/forums/{slug}.md",
        wiki_markdown_url=f"{base}/v2/wikis/{slug}/pages.md",
        documentation_url=f"{address}/play.md",
        certification_status_url=f"{address}/certification",
        certification_transcript_url=f"{address}/certification/transcript.md",
    )


def coworld_summary(coworld: Coworld) -> CoworldSummaryRow:
    return CoworldSummaryRow(
        id=public_id("cow", coworld.id),
        name=coworld.name,
        version=coworld.version,
        visibility=_visibility(coworld),
        manifest_summary=manifests.summary(coworld.manifest),
        manifest_hash=coworld.manifest_hash,
        size_bytes=coworld.size_bytes,
        created_at=coworld.created_at,
        canonical=coworld.canonical,
    )


def coworld_row(session: Session, coworld: Coworld, settings: Settings) -> CoworldRow:
    """Return a Coworld as the first two generations of clients list it."""
    manifest = references.with_pull_addresses(session, coworld.manifest, Registry(settings.base_url()))
    return CoworldRow(**coworld_summary(coworld).model_dump(), manifest=manifest)


def certification_status(coworld: Coworld, settings: Settings) -> CertificationStatus:
    """Return the state of the last certification."""
    row = coworld.certification or Certification(state=CertificationState.NEVER_RUN, transcript_summary=[])
    return CertificationStatus(
        coworld_id=public_id("cow", coworld.id),
        state=row.state.value,
        certified=row.state is CertificationState.CERTIFIED,
        contract_version=row.contract_version,
        certification_job_id=None if row.job_id is None else str(row.job_id),
        failed_step=row.failed_step,
        failure=None if row.failure is None else _failure(row.failure, settings),
        transcript_summary=[CertificationStep(**step) for step in row.transcript_summary],
        completed_at=row.completed_at,
    )


def _failure(failure: Mapping[str, Any], settings: Settings) -> CertificationFailure:
    """Return a failure with the address of the documentation of this server."""
    return CertificationFailure(**{**failure, "documentation_url": f"{settings.base_url()}/docs"})


def reporter_row(session: Session, row: Reporter) -> ReporterRow:
    return ReporterRow(
        id=public_id("rptr", row.id),
        name=row.name,
        display_name=row.display_name,
        description=row.description,
        user_id=row.user_id,
        latest_version=row.versions[-1].version if row.versions else None,
        outputs=row.outputs,
        run_count=reporters.run_count(session, row),
        output_count=reporters.output_count(session, row),
        created_at=row.created_at,
    )


def reporter_detail(session: Session, row: Reporter) -> ReporterRowDetail:
    purpose = row.versions[-1].attributes.get("purpose") if row.versions else None
    return ReporterRowDetail(
        **reporter_row(session, row).model_dump(), purpose=purpose if isinstance(purpose, str) else None
    )


def reporter_version_row(row: Reporter, version: ReporterVersion) -> ReporterVersionRow:
    return ReporterVersionRow(id=version.id, name=row.name, version=version.version, content_hash=version.content_hash)


def role_run_row(run: RoleRun, store: Store, settings: Settings) -> RoleRunRow:
    """Return a run with signed addresses of its outputs."""
    seconds = settings.download_url_seconds
    return RoleRunRow(
        id=run.id,
        episode_request_id=public_id("ereq", run.episode_request_id),
        role=run.role,
        role_id=run.role_id,
        target=int(run.target) if run.target else None,
        status=run.status.value,
        error=run.error,
        outputs=[
            RoleOutputRow(
                id=output.id,
                name=output.name,
                type=output.type,
                media_type=output.media_type,
                size_bytes=output.size_bytes,
                created_at=output.created_at,
                url=store.download_url(output.key, seconds=seconds),
            )
            for output in run.outputs
        ],
        created_at=run.created_at,
        completed_at=run.completed_at,
    )


def _visibility(coworld: Coworld) -> Literal["public", "private"]:
    return "public" if coworld.visibility is Visibility.PUBLIC else "private"
