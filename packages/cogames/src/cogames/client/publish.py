"""Publish a policy: pack it into a bundle, validate it, upload it and submit it to a season.

    from cogames.client import TournamentServerClient
    from cogames.client.publish import Upload, publish

    with TournamentServerClient(server, token) as client:
        published = publish(client, Upload("class=my_policy.MyPolicy", "my-policy", include_files=["my_policy.py"]))
    print(published.label, published.pools)

`rehearse` packs and validates without uploading; `submit` enters a policy that is already on the server. Each function
reports its steps to `on_event`. Errors are `ClientError` (the server, the account, the season) and `BundleError` (the
bundle); both have `hints`.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from cogames.client.references import check_upload_name, split_reference
from softmax.client.errors import ClientError, Refused

if TYPE_CHECKING:
    from cogames.client.server import TournamentServerClient
    from mettagrid.config.any_env_config import AnyEnvConfig
    from mettagrid.policy.bundle import CreatedBundle
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.boxed import Validation
    from softmax.wire import PolicyVersionResponse, SeasonDetail

__all__ = [
    "BundlePacked",
    "BundleValidated",
    "NotSubmitted",
    "OnEvent",
    "PublishEvent",
    "Published",
    "SeasonChosen",
    "SubmissionStarted",
    "Upload",
    "UploadStarted",
    "ValidationSkipped",
    "ValidationStarted",
    "publish",
    "rehearse",
    "submit",
    "upload_bundle",
]

OFFLINE_MISSION = "arena"


@dataclass(frozen=True)
class Upload:
    """A policy to publish.

    `policy` is the value of `-p`, the path of a bundle, or a `PolicySpec`. With `submit` it enters `season`, by default
    the server's. `upload_hosts` are hosts that may receive the bundle besides the server's own and those in
    `~/.metta/config.yaml`. See `cogames.policy.bundles.create_bundle` for the arguments of the bundle.
    """

    policy: str | Path | PolicySpec
    name: str
    season: str | None = None
    submit: bool = True
    validate: bool = True
    include_files: Sequence[str] = ()
    init_kwargs: Mapping[str, Any] = field(default_factory=dict)
    setup_script: str | None = None
    network_hosts: Sequence[str] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    upload_hosts: Sequence[str] = ()


@dataclass(frozen=True)
class Published:
    """A policy version on the server; `season` and `pools` are those it entered."""

    policy_version_id: UUID
    name: str
    version: int
    season: str | None = None
    pools: Sequence[str] = ()

    @property
    def label(self) -> str:
        return f"{self.name}:v{self.version}"


class NotSubmitted(ClientError):
    """The season did not accept the policy version, which stays on the server."""


@dataclass(frozen=True)
class SeasonChosen:
    season: str


@dataclass(frozen=True)
class BundlePacked:
    bundle: CreatedBundle


@dataclass(frozen=True)
class ValidationStarted:
    game: str
    """where the bundle plays: `arena`, or `pool NAME`"""


@dataclass(frozen=True)
class ValidationSkipped: ...


@dataclass(frozen=True)
class BundleValidated:
    result: Validation


@dataclass(frozen=True)
class UploadStarted:
    server: str


@dataclass(frozen=True)
class SubmissionStarted:
    policy: str
    season: str


PublishEvent = (
    SeasonChosen
    | BundlePacked
    | ValidationStarted
    | ValidationSkipped
    | BundleValidated
    | UploadStarted
    | SubmissionStarted
)
OnEvent = Callable[[PublishEvent], None]


def publish(client: TournamentServerClient, upload: Upload, *, on_event: OnEvent | None = None) -> Published:
    """Pack, validate, upload and submit a policy, and return its new version.

    Raises `NotAuthenticated` before anything else if the client has no token, `BundleError` for a bundle that cannot be
    packed or is not valid (nothing is uploaded), and `NotSubmitted` if the season rejects the uploaded version.
    """
    report = on_event or _ignore
    check_upload_name(upload.name)
    client.require_token()
    season = _choose_season(client, upload.season, report) if upload.submit or upload.season is not None else None
    client.check_token()
    with _packed(upload, report) as bundle:
        _validate(bundle, upload, season, client, report)
        report(UploadStarted(client.server_url))
        version = upload_bundle(client, bundle, upload.name, secrets=upload.secrets, upload_hosts=upload.upload_hosts)
    published = Published(version.id, version.name, version.version)
    if not upload.submit or season is None:
        return published
    return _enter(client, season.name, published)


def rehearse(upload: Upload, *, client: TournamentServerClient | None = None, on_event: OnEvent | None = None) -> None:
    """Pack and validate a policy as `publish` does, and upload nothing; needs no account.

    With a season the bundle plays the season's game, which the client downloads. Without one it plays the mission
    `arena`, and the function calls no server.
    """
    report = on_event or _ignore
    check_upload_name(upload.name)
    season = None
    if upload.season is None:
        client = None
    elif client is None:
        raise ValueError(f"The game of season {upload.season!r} is on a server; pass a client, or leave out the season")
    else:
        season = _choose_season(client, upload.season, report)
    with _packed(upload, report) as bundle:
        _validate(bundle, upload, season, client, report)


def submit(
    client: TournamentServerClient, policy: str, *, season: str | None = None, on_event: OnEvent | None = None
) -> Published:
    """Submit a policy of the user, `NAME` (the latest version) or `NAME:v3`, to a season, by default the server's."""
    name, version = split_reference(policy)
    client.require_token()
    target = _season_to_enter(client, season).name
    if on_event is not None:
        on_event(SubmissionStarted(policy if version else f"{policy} (latest)", target))
    client.check_token()
    row = client.lookup_policy_version(name, version)
    if row is None:
        from cogames.client.lookup import UnknownPolicy

        advice = "upload it first: cogames upload -p POLICY -n NAME"
        raise UnknownPolicy(policy, client.get_my_policy_versions(), advice)
    return _enter(client, target, Published(row.id, row.name, row.version))


def upload_bundle(
    client: TournamentServerClient,
    bundle: Path,
    name: str,
    *,
    secrets: Mapping[str, str] | None = None,
    upload_hosts: Sequence[str] = (),
) -> PolicyVersionResponse:
    """Upload a bundle as a new version of a policy, without packing, validating or submitting it."""
    from softmax.client.addresses import allowed_upload_hosts

    place = client.get_presigned_upload_url()
    client.upload_bundle(place, bundle, [*upload_hosts, *allowed_upload_hosts()])
    return client.complete_policy_upload(place.upload_id, name, secret_env=secrets)


def _choose_season(client: TournamentServerClient, reference: str | None, report: OnEvent) -> SeasonDetail:
    season = _season_to_enter(client, reference)
    report(SeasonChosen(season.name))
    return season


def _season_to_enter(client: TournamentServerClient, reference: str | None) -> SeasonDetail:
    """Return the named season, or the server's default; raise if it does not accept policies of this version."""
    from cogames.client.pools import check_compatible

    season = client.get_season(reference or client.get_default_season().name)
    if not season.canonical:
        raise ClientError(
            f"'{reference}' is an earlier version of its season", [f"submit to the current version: {season.name}"]
        )
    check_compatible(season)
    return season


@contextmanager
def _packed(upload: Upload, report: OnEvent) -> Iterator[Path]:
    """Pack the policy into a temporary bundle."""
    from cogames.policy.bundles import BundleError, create_bundle

    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle.zip"
        try:
            created = create_bundle(
                upload.policy,
                bundle,
                include_files=upload.include_files,
                init_kwargs=upload.init_kwargs,
                setup_script=upload.setup_script,
                network_hosts=upload.network_hosts,
            )
        except (ValueError, OSError, ImportError) as error:
            raise BundleError(str(error)) from error
        report(BundlePacked(created))
        yield bundle


def _validate(
    bundle: Path, upload: Upload, season: SeasonDetail | None, client: TournamentServerClient | None, report: OnEvent
) -> None:
    """Validate on the game of the season, else of the server's default season; without a client, on `arena`."""
    if not upload.validate:
        report(ValidationSkipped())
        return
    from cogames.client.pools import environment_of, playable_pool
    from cogames.policy.bundles import BundleNotValid, run_bundle

    if client is None:
        from cogames import missions

        game = OFFLINE_MISSION
        env: AnyEnvConfig = missions.load(OFFLINE_MISSION)
    else:
        pool = playable_pool(client, season or client.get_season(client.get_default_season().name))
        game, env = f"pool {pool.pool_name}", environment_of(pool)
    report(ValidationStarted(game))
    result = run_bundle(str(bundle), env)
    if not result.ok:
        raise BundleNotValid(result, ["pass validate=False to upload it anyway"])
    report(BundleValidated(result))


def _enter(client: TournamentServerClient, season: str, published: Published) -> Published:
    try:
        pools = client.submit_to_season(season, published.policy_version_id).pools
    except Refused as error:
        if error.status == 401:
            raise
        reason = str(error) if error.status == 404 else error.detail or str(error)
        raise NotSubmitted(
            f"{published.label} was not submitted to season '{season}': {reason}",
            [f"{shlex.join(['cogames', 'submissions', '--season', season])} lists its submissions"],
        ) from error
    return Published(published.policy_version_id, published.name, published.version, season, pools)


def _ignore(event: PublishEvent) -> None: ...
