"""`cogames upload`, `cogames ship` and `cogames submit`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from cogames.commands.bundles import (
    BundlePolicy,
    IncludeFiles,
    InitKwargs,
    NetworkHosts,
    SetupScript,
    bundle_errors,
    check_init_kwargs,
    print_bundle,
)
from cogames.commands.shared import choices
from cogames.commands.shared.failures import show_last_words
from cogames.commands.shared.server import TOURNAMENT, LoginServer, LongServer, Server, client_for, show_home
from softmax.cli.errors import CommandError
from softmax.cli.output import command_line, note, warn
from softmax.cli.program import examples

if TYPE_CHECKING:
    from cogames.client.publish import Published, PublishEvent, Upload

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


@examples(
    "cogames upload -p my_policy.MyPolicy -n my-policy",
    "cogames upload -p my_policy.MyPolicy -f my_policy.py -f helpers.py -n my-policy",
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
    from cogames.client.publish import Upload
    from cogames.client.secrets import BadSecret, read_secrets
    from cogames.policy.arguments import parse_init_kwargs

    check_init_kwargs(ctx, init_kwarg)
    try:
        secrets = read_secrets(secret_env or [], secret_file or [])
    except BadSecret as error:
        raise typer.BadParameter(str(error), ctx=ctx, param_hint="--secret-env / --secret-file") from error
    if use_bedrock:
        secrets[BEDROCK] = "true"
    _warn_about_image(image)
    policy_upload = Upload(
        policy,
        name,
        season=season,
        submit=not no_submit,
        validate=not skip_validation,
        include_files=include_files or [],
        init_kwargs=parse_init_kwargs(init_kwarg or []),
        setup_script=setup_script,
        network_hosts=network_host or [],
        secrets=secrets,
        upload_hosts=upload_host or [],
    )
    send(policy_upload, "Upload complete", dry_run=dry_run, server=server, login_server=login_server)


@examples(
    "cogames ship -p my_policy.MyPolicy -n my-policy --season beta-cvc",
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
    from cogames.client.publish import Upload
    from cogames.policy.arguments import parse_init_kwargs

    check_init_kwargs(ctx, init_kwarg)
    _warn_about_image(image)
    policy_upload = Upload(
        policy,
        name,
        season=season,
        validate=not skip_validation,
        include_files=include_files or [],
        init_kwargs=parse_init_kwargs(init_kwarg or []),
        setup_script=setup_script,
        network_hosts=network_host or [],
        upload_hosts=upload_host or [],
    )
    send(policy_upload, "Shipped", dry_run=dry_run, server=server, login_server=login_server)


@examples("cogames submit my-policy", "cogames submit my-policy:v3 --season beta-cvc")
def submit(
    policy: PolicyReference, season: Season = None, server: Server = None, login_server: LoginServer = None
) -> None:
    """Submit an uploaded policy to a season."""
    from cogames.client import publish
    from cogames.client.references import split_reference

    split_reference(policy)  # report a bad reference before a bad server
    submitted = publish.submit(client_for(server, login_server), policy, season=season, on_event=show_event)
    print(f"Submitted to season '{submitted.season}'\nAdded to pools: {', '.join(submitted.pools)}")
    show_home(
        _login_address(server, login_server), [command_line("cogames", "leaderboard", "--season", submitted.season)]
    )


def send(
    upload: Upload, done: str, *, dry_run: bool = False, server: str | None = None, login_server: str | None = None
) -> Published | None:
    """Publish a policy, print the steps and the result, and return it; None after a dry run."""
    from cogames.client import publish
    from cogames.client.references import check_upload_name

    check_upload_name(upload.name)  # report a bad name before a bad server
    client = client_for(server, login_server)
    choices.use_working_folder()
    with _upload_errors():
        if dry_run:
            publish.rehearse(upload, client=client, on_event=show_event)
            print("Dry run complete: nothing was uploaded")
            return None
        published = publish.publish(client, upload, on_event=show_event)
    follow_up = [command_line("cogames", "submit", published.label)]
    if published.season is not None:
        follow_up = [
            command_line("cogames", "submissions", "--season", published.season, "--policy", published.name),
            command_line("cogames", "leaderboard", published.season, "--policy", published.name),
        ]
    print(f"{done}: {published.label}")
    if published.pools:
        print(f"Added to pools: {', '.join(published.pools)}")
    show_home(_login_address(server, login_server), follow_up)
    return published


def show_event(event: PublishEvent) -> None:
    """Print a step of `cogames.client.publish`."""
    from cogames.client import publish

    match event:
        case publish.SeasonChosen():
            note(f"Using season: {event.season}")
        case publish.BundlePacked():
            print_bundle(event.bundle)
        case publish.ValidationSkipped():
            note("Skipping validation")
        case publish.ValidationStarted():
            note(f"Validating on {event.game}")
        case publish.BundleValidated():
            note(f"Policy validated successfully ({event.result.steps} steps, sandbox {event.result.level})")
        case publish.UploadStarted():
            note(f"Uploading to {event.server}")
        case publish.SubmissionStarted():
            note(f"Submitting {event.policy} to season '{event.season}'")
        case _:
            assert_never(event)


@contextmanager
def _upload_errors() -> Iterator[None]:
    """Turn errors about the bundle into command errors; print the last output of a policy that is not valid."""
    from cogames.policy.bundles import BundleNotValid

    with bundle_errors():
        try:
            yield
        except BundleNotValid as error:
            show_last_words(error.result.last_words)
            raise CommandError(str(error), ["--skip-validation uploads it anyway"]) from error


def _login_address(server: str | None, login_server: str | None) -> str:
    from cogames.client import resolve_addresses

    return resolve_addresses(server, login_server).login


def _warn_about_image(image: str | None) -> None:
    if image is not None:
        warn("--image is not needed: bundles are validated in a sandbox on this machine")
