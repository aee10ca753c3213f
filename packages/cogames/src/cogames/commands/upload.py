"""`cogames upload`, `cogames ship` and `cogames submit`."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.bundles import (
    BundlePolicy,
    IncludeFiles,
    InitKwargs,
    NetworkHosts,
    SetupScript,
    check_init_kwargs,
    pack_bundle,
)
from cogames.commands.shared import choices
from cogames.commands.shared.league import TOURNAMENT, LoginServer, LongServer, Server, client_for, show_home, signed_in
from softmax.cli.errors import CommandError, fail
from softmax.cli.output import note, warn
from softmax.cli.program import examples

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from softmax.wire.documents import PolicyVersionResponse, SeasonDetail

SECRETS, VALIDATION, UPLOAD = "Secrets", "Validation", "Upload"
BEDROCK = "USE_BEDROCK"

PolicyName = Annotated[
    str, typer.Option("--name", "-n", metavar="NAME", help="Name of the policy.", rich_help_panel=UPLOAD)
]
UploadHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--upload-host",
        metavar="HOST",
        help="Host, other than the server's own, that may receive the bundle (repeatable).",
        rich_help_panel=UPLOAD,
    ),
]
SecretEnv = Annotated[
    list[str] | None,
    typer.Option(
        "--secret-env",
        metavar="KEY[=VALUE]",
        help="Secret for this policy only; without =VALUE it comes from the environment (repeatable).",
        rich_help_panel=SECRETS,
    ),
]
SecretFile = Annotated[
    list[Path] | None,
    typer.Option(
        "--secret-file", metavar="FILE", help="File of KEY=VALUE lines (repeatable).", rich_help_panel=SECRETS
    ),
]
Bedrock = Annotated[
    bool,
    typer.Option(
        "--use-bedrock", help="Ask for the server's model gateway (USE_BEDROCK=true).", rich_help_panel=SECRETS
    ),
]
Season = Annotated[
    str | None,
    typer.Option(
        "--season",
        metavar="SEASON",
        help="Season to submit to.",
        show_default="the server's default",
        rich_help_panel=TOURNAMENT,
    ),
]
NoSubmit = Annotated[bool, typer.Option("--no-submit", help="Only upload.", rich_help_panel=TOURNAMENT)]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Only pack and validate; without --season call no server.", rich_help_panel=VALIDATION
    ),
]
SkipValidation = Annotated[
    bool, typer.Option("--skip-validation", help="Upload without validating.", rich_help_panel=VALIDATION)
]
Image = Annotated[
    str | None, typer.Option("--image", metavar="IMAGE", help="Not needed: no image is used.", hidden=True)
]
PolicyReference = Annotated[str, typer.Argument(metavar="POLICY", help="NAME (the latest version) or NAME:v2.")]


@dataclass(frozen=True)
class Plan:
    """The steps of an upload: pack, validate, upload, submit."""

    name: str
    policy: str
    init_kwargs: list[str]
    files: list[str]
    setup_script: str | None
    network_hosts: list[str]
    season: str | None
    submits: bool = True
    secrets: dict[str, str] = field(default_factory=dict, repr=False)
    dry_run: bool = False
    validates: bool = True
    server: str | None = None
    login_server: str | None = None
    upload_hosts: list[str] = field(default_factory=list)


@examples(
    "cogames upload -p class=my_policy.MyPolicy -f my_policy.py -n my-policy",
    "cogames upload -p ./submission.zip -n my-policy --season beta-cvc --secret-env API_KEY",
    "cogames upload -p ./submission.zip -n my-policy --dry-run",
)
def upload(
    ctx: typer.Context,
    name: PolicyName,
    policy: BundlePolicy,
    init_kwarg: InitKwargs = None,
    include_files: IncludeFiles = None,
    setup_script: SetupScript = None,
    network_host: NetworkHosts = None,
    secret_env: SecretEnv = None,
    secret_file: SecretFile = None,
    use_bedrock: Bedrock = False,
    season: Season = None,
    no_submit: NoSubmit = False,
    dry_run: DryRun = False,
    skip_validation: SkipValidation = False,
    image: Image = None,
    upload_host: UploadHosts = None,
    server: LongServer = None,
    login_server: LoginServer = None,
) -> None:
    """Pack, validate, upload and submit a policy.

    Every upload creates a new version of the policy. Secrets are stored encrypted; only this version's own process
    receives them.
    """
    from cogames.client.secrets import BadSecret, read_secrets

    check_init_kwargs(ctx, init_kwarg)
    try:
        secrets = read_secrets(secret_env or [], secret_file or [])
    except BadSecret as error:
        raise typer.BadParameter(str(error), ctx=ctx, param_hint="--secret-env / --secret-file") from error
    if use_bedrock:
        secrets[BEDROCK] = "true"
    plan = Plan(
        name,
        policy,
        init_kwarg or [],
        include_files or [],
        setup_script,
        network_host or [],
        season,
        not no_submit,
        secrets,
        dry_run,
        not skip_validation,
        server,
        login_server,
        upload_host or [],
    )
    _warn_about_image(image)
    send(plan, "Upload complete")


@examples(
    "cogames ship -p class=my_policy.MyPolicy -f my_policy.py -n my-policy --season beta-cvc",
    "cogames ship -p ./submission.zip -n my-policy --dry-run",
)
def ship(
    ctx: typer.Context,
    name: PolicyName,
    policy: BundlePolicy,
    init_kwarg: InitKwargs = None,
    include_files: IncludeFiles = None,
    setup_script: SetupScript = None,
    network_host: NetworkHosts = None,
    season: Season = None,
    dry_run: DryRun = False,
    skip_validation: SkipValidation = False,
    image: Image = None,
    upload_host: UploadHosts = None,
    server: LongServer = None,
    login_server: LoginServer = None,
) -> None:
    """Pack, validate, upload and submit a policy in one step."""
    check_init_kwargs(ctx, init_kwarg)
    plan = Plan(
        name,
        policy,
        init_kwarg or [],
        include_files or [],
        setup_script,
        network_host or [],
        season,
        dry_run=dry_run,
        validates=not skip_validation,
        server=server,
        login_server=login_server,
        upload_hosts=upload_host or [],
    )
    _warn_about_image(image)
    send(plan, "Shipped")


@examples("cogames submit my-policy", "cogames submit my-policy:v3 --season beta-cvc")
def submit(
    policy: PolicyReference, season: Season = None, server: Server = None, login_server: LoginServer = None
) -> None:
    """Submit an uploaded policy to a season."""
    from cogames.client import NotAuthenticated
    from cogames.client.references import split_reference

    name, version = split_reference(policy)
    client = client_for(server, login_server)
    if client.token is None:
        raise NotAuthenticated
    detail = _season_to_enter(client, season)
    target = detail.name
    note(f"Submitting {policy if version else f'{policy} (latest)'} to season '{target}'")
    row = signed_in(client).lookup_policy_version(name, version)
    if row is None:
        fail(f"Policy '{policy}' not found.", "upload it first: cogames upload -p POLICY -n NAME")
    pools = _submit(client, target, str(row.id), row.label)
    print(f"Submitted to season '{target}'\nAdded to pools: {', '.join(pools)}")
    show_home(_login_address(server, login_server), [f"cogames leaderboard --season {target}"])


def send(plan: Plan, done: str) -> tuple[PolicyVersionResponse, list[str]] | None:
    """Run all steps of an upload and return the new version with the pools it entered; None after a dry run.

    Everything but a dry run needs an account.
    """
    from cogames.client import NotAuthenticated
    from cogames.client.references import check_upload_name

    check_upload_name(plan.name)
    client = client_for(plan.server, plan.login_server)
    if client.token is None and not plan.dry_run:
        raise NotAuthenticated
    season = None
    if plan.season is not None or (plan.submits and not plan.dry_run):
        season = _season_to_enter(client, plan.season)
        note(f"Using season: {season.name}")
    if not plan.dry_run:
        signed_in(client)
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle.zip"
        pack_bundle(plan.policy, bundle, plan.init_kwargs, plan.files, plan.setup_script, plan.network_hosts)
        if plan.validates:
            _try(client, season, bundle, offline=plan.dry_run and season is None)
        else:
            note("Skipping validation")
        if plan.dry_run:
            print("Dry run complete: nothing was uploaded")
            return None
        version = _upload(client, bundle, plan)
    label = f"{version.name}:v{version.version}"
    follow_up = [f"cogames submit {label}"]
    pools: list[str] = []
    if plan.submits and season is not None:
        pools = _submit(client, season.name, str(version.id), label)
        follow_up = [
            f"cogames submissions --season {season.name} --policy {version.name}",
            f"cogames leaderboard {season.name} --policy {version.name}",
        ]
    print(f"{done}: {label}")
    if pools:
        print(f"Added to pools: {', '.join(pools)}")
    show_home(_login_address(plan.server, plan.login_server), follow_up)
    return version, pools


def _season_to_enter(client: TournamentServerClient, reference: str | None) -> SeasonDetail:
    """Return the named season, or the server's default; fail if it does not accept policies of this version."""
    from cogames.client.pools import check_compatible

    season = client.get_season(reference or client.get_default_season().name)
    if not season.canonical:
        fail(f"'{reference}' is an earlier version of its season", f"submit to the current version: {season.name}")
    check_compatible(season)
    return season


def _try(client: TournamentServerClient, season: SeasonDetail | None, bundle: Path, *, offline: bool) -> None:
    """Validate the bundle on the season's game; offline, on the mission `arena`."""
    from cogames.client.pools import environment_of, playable_pool
    from cogames.commands.bundles import try_bundle
    from cogames.commands.shared.failures import show_last_words

    if offline:
        place, env = "arena", choices.mission("arena", variants=None, game="cogsguard").env
    else:
        pool = playable_pool(client, season or client.get_season(client.get_default_season().name))
        place, env = f"pool {pool.pool_name}", environment_of(pool)
    note(f"Validating on {place}")
    result = try_bundle(str(bundle), env)
    if not result.ok:
        show_last_words(result.last_words)
        fail(f"The bundle is not valid: {result.problem}", "--skip-validation uploads it anyway")
    note(f"Policy validated successfully ({result.steps} steps, sandbox {result.level})")


def _upload(client: TournamentServerClient, bundle: Path, plan: Plan) -> PolicyVersionResponse:
    from softmax.client.addresses import allowed_upload_hosts

    note(f"Uploading to {client.server_url}")
    place = client.get_presigned_upload_url()
    client.upload_bundle(place, bundle, [*plan.upload_hosts, *allowed_upload_hosts()])
    return client.complete_policy_upload(place.upload_id, plan.name, secret_env=plan.secrets)


def _submit(client: TournamentServerClient, season: str, version_id: str, label: str) -> list[str]:
    from cogames.client import Refused

    try:
        return client.submit_to_season(season, version_id).pools
    except Refused as error:
        if error.status == 401:
            raise
        reason = str(error) if error.status == 404 else error.detail or str(error)
        raise CommandError(
            f"{label} was not submitted to season '{season}': {reason}",
            [f"cogames submissions --season {season} lists its submissions"],
        ) from error


def _login_address(server: str | None, login_server: str | None) -> str:
    from cogames.client import resolve_addresses

    return resolve_addresses(server, login_server).login


def _warn_about_image(image: str | None) -> None:
    if image is not None:
        warn("--image is not needed: bundles are validated in a sandbox on this machine")
