"""Compatibility names for packing and uploading a policy; `cogames.client.publish` does the work.

Uploads go to the server that the user named. Bundles are validated in a sandbox on this machine, so no container image
is needed.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    import typer

    from cogames.client import TournamentServerClient
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = [
    "DEFAULT_SUBMIT_SERVER",
    "UploadResult",
    "create_bundle",
    "create_submission_zip",
    "observatory_home_url",
    "upload_policy",
    "upload_submission",
    "validate_paths",
]

DEFAULT_SUBMIT_SERVER: str
"""the tournament server of the environment or the config file, else the one on this machine"""


@dataclass
class UploadResult:
    """A version of a policy on the server; `pools` are the pools it entered, None if it was not submitted."""

    policy_version_id: UUID
    name: str
    version: int
    pools: list[str] | None = None


def validate_paths(paths: list[str]) -> list[Path]:
    """Return the paths relative to the working folder; raise for paths that are missing or outside it."""
    folder = Path.cwd().resolve()
    relative = []
    for text in paths:
        path = (folder / Path(text).expanduser()).resolve()
        if not path.is_relative_to(folder):
            raise ValueError(f"Path outside of the working folder: {text}; copy it to {folder}")
        if not path.exists():
            raise FileNotFoundError(f"Path not found: {text}")
        relative.append(path.relative_to(folder))
    return relative


def create_submission_zip(include_files: list[Path], policy_spec: PolicySpec, setup_script: str | None = None) -> Path:
    """Write a bundle with these files to a temporary .zip, which belongs to the caller."""
    from mettagrid.policy.bundle import create_bundle as pack

    output = Path(tempfile.mkdtemp(prefix="cogames_submission_")) / "submission.zip"
    return pack(
        policy_spec, output, include_files=[str(file) for file in include_files], setup_script=setup_script
    ).path


def create_bundle(
    ctx: typer.Context,
    policy: str,
    output: Path,
    include_files: list[str] | None = None,
    init_kwargs: dict[str, str] | None = None,
    setup_script: str | None = None,
) -> Path:
    """Pack the policy of a `-p` argument and print the contents of the bundle."""
    from cogames.commands.bundles import pack_bundle

    return pack_bundle(policy, output, _pairs(init_kwargs), include_files or [], setup_script, []).path


def upload_submission(
    client: TournamentServerClient,
    zip_path: Path,
    submission_name: str,
    season: str | None = None,
    secret_env: dict[str, str] | None = None,
) -> UploadResult:
    """Upload a bundle as a new version of a policy and, with `season`, submit it; raise `ClientError` on failure."""
    from cogames.client.publish import upload_bundle

    version = upload_bundle(client, zip_path, submission_name, secrets=secret_env)
    pools = None if season is None else client.submit_to_season(season, version.id).pools
    return UploadResult(version.id, version.name, version.version, pools)


def upload_policy(
    ctx: typer.Context,
    policy: str,
    name: str,
    include_files: list[str] | None = None,
    server: str | None = None,
    init_kwargs: dict[str, str] | None = None,
    dry_run: bool = False,
    skip_validation: bool = False,
    setup_script: str | None = None,
    validation_season: str | None = None,
    submission_season: str | None = None,
    image: str | None = None,
    secret_env: dict[str, str] | None = None,
) -> UploadResult | None:
    """Pack, try, upload and, with `submission_season`, submit a policy; return None after a dry run.

    The bundle is tried on the game of the submission season, else of `validation_season`. `image` is ignored.
    """
    from cogames.client.publish import Upload
    from cogames.commands.upload import send
    from cogames.policy.arguments import parse_init_kwargs

    published = send(
        Upload(
            policy,
            name,
            season=submission_season or validation_season,
            submit=submission_season is not None,
            validate=not skip_validation,
            include_files=include_files or [],
            init_kwargs=parse_init_kwargs(_pairs(init_kwargs)),
            setup_script=setup_script,
            secrets=secret_env or {},
        ),
        "Upload complete",
        dry_run=dry_run,
        server=server,
    )
    if published is None:
        return None
    pools = list(published.pools) or None
    return UploadResult(published.policy_version_id, published.name, published.version, pools)


def observatory_home_url() -> str:
    """Return the URL of the user's own policies."""
    from cogames.client import resolve_addresses
    from softmax.client.addresses import home_page

    return home_page(resolve_addresses().login)


def _pairs(init_kwargs: dict[str, str] | None) -> list[str]:
    return [f"{key}={value}" for key, value in (init_kwargs or {}).items()]


def __getattr__(name: str) -> str:
    if name == "DEFAULT_SUBMIT_SERVER":
        from cogames.client import resolve_addresses

        return resolve_addresses().api
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
