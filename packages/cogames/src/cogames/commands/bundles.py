"""`cogames create-bundle` and `cogames validate-bundle`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared import choices, options
from cogames.commands.shared.failures import show_last_words
from cogames.commands.shared.server import LoginServer, LongServer, client_for
from softmax.cli.errors import CommandError, fail
from softmax.cli.output import note, print_data, warn
from softmax.cli.program import examples

if TYPE_CHECKING:
    from cogames.missions.arguments import ChosenMission
    from cogames.missions.bitworld import BitWorldMission
    from mettagrid.config.any_env_config import AnyEnvConfig
    from mettagrid.policy.bundle import CreatedBundle

POLICY, OUTPUT, FILES, SERVER = "Policy", "Output", "Files", "Server"

BundlePolicy = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        metavar="POLICY",
        rich_help_panel=POLICY,
        help="NAME, class=NAME[,data=FILE][,kw.KEY=VALUE], or the path or URI of a bundle to pack again.",
    ),
]
InitKwargs = Annotated[
    list[str] | None,
    typer.Option(
        "--init-kwarg", "-k", metavar="KEY=VAL", help="Argument of the policy (repeatable).", rich_help_panel=POLICY
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="PATH", help="Bundle to write.", rich_help_panel=OUTPUT)
]
IncludeFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--include-files",
        "-f",
        metavar="PATH",
        help="File or folder to include instead of the source of the class (repeatable).",
        rich_help_panel=FILES,
    ),
]
SetupScript = Annotated[
    str | None,
    typer.Option(
        "--setup-script",
        metavar="PATH",
        help="Python script that runs once before the policy is loaded.",
        rich_help_panel=FILES,
    ),
]
NetworkHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--network-host",
        metavar="HOST",
        help="Host that the policy wants to reach; servers allow it only with secrets (repeatable).",
        rich_help_panel=POLICY,
    ),
]
CompatVersion = Annotated[
    str | None,
    typer.Option(
        "--compat-version",
        metavar="VERSION",
        help="Game version the policy was built for, such as 0.26; seasons of other versions reject it.",
        rich_help_panel=POLICY,
    ),
]
BundleUri = Annotated[
    str, typer.Option("--policy", "-p", metavar="URI", help="Bundle: a .zip, a folder, or the URI of one.")
]
OnMission = Annotated[
    str | None,
    typer.Option(
        "--mission",
        "-m",
        metavar="MISSION",
        help="Mission to validate on.",
        show_default="arena",
        rich_help_panel="Mission",
    ),
]
OnSeason = Annotated[
    str | None,
    typer.Option("--season", metavar="SEASON", help="Season whose game to validate on.", rich_help_panel=SERVER),
]
Image = Annotated[str | None, typer.Option("--image", hidden=True)]


@examples(
    "cogames create-bundle -p my_policy.MyPolicy -o submission.zip",
    "cogames create-bundle -p my_policy.MyPolicy -f my_policy.py -f helpers.py -o submission.zip",
    "cogames create-bundle -p ./train_dir/my_run:v5 -k temperature=0.5 -f helpers --setup-script setup_policy.py",
)
def create_bundle(
    ctx: typer.Context,
    policy: BundlePolicy,
    init_kwarg: InitKwargs = None,
    output: Output = Path("submission.zip"),
    include_files: IncludeFiles = None,
    setup_script: SetupScript = None,
    network_host: NetworkHosts = None,
    compat_version: CompatVersion = None,
) -> None:
    """Pack a policy into a bundle.

    A bundle is a .zip with a description of the policy, its code and its weights. Without -f the code is the file, or
    the package, of the class in the current folder; all files must be in it.
    """
    check_init_kwargs(ctx, init_kwarg)
    if compat_version is not None and not re.fullmatch(r"v?[0-9]+(\.[0-9]+)*", compat_version):
        raise typer.BadParameter(f"{compat_version!r} is not a version.", ctx=ctx, param_hint="--compat-version")
    packed = pack_bundle(
        policy, output, init_kwarg or [], include_files or [], setup_script, network_host or [], compat_version
    )
    print(f"Bundle created: {packed.path}")


def check_init_kwargs(ctx: typer.Context, texts: Sequence[str] | None) -> None:
    """Raise a usage error for arguments that are not KEY=VAL."""
    for text in texts or []:
        if not text.partition("=")[0].strip() or "=" not in text:
            raise typer.BadParameter(f"{text!r} is not KEY=VAL.", ctx=ctx, param_hint="--init-kwarg / -k")


def pack_bundle(
    policy: str,
    output: Path,
    init_kwargs: Sequence[str],
    files: Sequence[str],
    setup_script: str | None,
    network_hosts: Sequence[str],
    compat_version: str | None = None,
) -> CreatedBundle:
    """Write a bundle and print its contents."""
    from cogames.policy.arguments import parse_init_kwargs
    from cogames.policy.bundles import create_bundle as pack

    choices.use_working_folder()
    try:
        created = pack(
            policy,
            output,
            include_files=files,
            init_kwargs=parse_init_kwargs(init_kwargs),
            setup_script=setup_script,
            network_hosts=network_hosts,
            compat_version=compat_version,
        )
    except (ValueError, OSError, ImportError) as error:
        raise CommandError(str(error)) from error
    print_bundle(created)
    return created


def print_bundle(created: CreatedBundle) -> None:
    """Print the contents of a new bundle."""
    for sentence in created.warnings:
        warn(sentence)
    spec = created.spec
    print(f"Policy class: {spec.class_path}")
    if spec.init_kwargs:
        print(f"Init kwargs: {spec.init_kwargs}")
    if spec.data_path:
        print(f"Data path: {spec.data_path}")
    if spec.setup_script:
        print(f"Setup script: {spec.setup_script}")
    if spec.compat_version:
        print(f"Built for: {spec.compat_version}")
    if spec.network_hosts:
        print(f"Network hosts: {', '.join(spec.network_hosts)}")
    print(f"Including {len(created.included)} file(s)")
    print(f"Bundle size: {max(1, round(created.size / 1024))} KB")


@examples(
    "cogames validate-bundle -p ./submission.zip",
    "cogames validate-bundle -p ./my_run -m machina_1",
    "cogames validate-bundle -p ./submission.zip --season beta-cvc",
)
def validate_bundle(
    policy: BundleUri,
    mission: OnMission = None,
    game: options.Game = "cogsguard",
    format: options.OutputFormat = None,
    season: OnSeason = None,
    server: LongServer = None,
    login_server: LoginServer = None,
    image: Image = None,
) -> None:
    """Validate a bundle in a sandbox.

    Plays at most ten steps with the policy in every seat and prints the sandbox level: a container if an engine is
    available, otherwise another sandbox. A policy is not valid if it fails to load, crashes or only does nothing.
    With --season or --server the game is the season's; otherwise the command calls no server.
    """
    if image is not None:
        warn("--image is not needed: bundles are validated in a sandbox on this machine")
    if season is None and server is None:
        from cogames.missions.bitworld import bitworld_mission, is_bitworld

        chosen: ChosenMission | BitWorldMission
        if mission is not None and is_bitworld(mission):
            chosen = bitworld_mission(mission)
        else:
            chosen = choices.mission(mission or "arena", variants=None, game=game)
        kind, name = "Mission", chosen.name
        env: AnyEnvConfig = chosen.env
    elif mission is not None:
        fail("Pass --mission or --season, not both")
    else:
        kind, name, env = _season_game(season, server, login_server)
    from cogames.policy.bundles import run_bundle

    with bundle_errors():
        result = run_bundle(policy, env)
    if format:
        document = {
            f"{kind.lower()}_name": name,
            "sandbox": result.level,
            "steps": result.steps,
            "problem": result.problem,
            "last_words": result.last_words,
        }
        print_data(document, format)
    else:
        print(f"{kind}: {name}\nSandbox: {result.level}\nSteps: {result.steps}")
    if not result.ok:
        show_last_words(result.last_words)
        fail(f"The bundle is not valid: {result.problem}")
    note("Policy validated successfully") if format else print("Policy validated successfully")


@contextmanager
def bundle_errors() -> Iterator[None]:
    """Turn the library's errors about bundles into command errors."""
    from cogames.policy.bundles import BundleError

    try:
        yield
    except BundleError as error:
        raise CommandError(str(error), error.hints) from error


def _season_game(season: str | None, server: str | None, login_server: str | None) -> tuple[str, str, AnyEnvConfig]:
    """Return kind, name and environment of a season's first playable pool."""
    from cogames.client.pools import check_compatible, environment_of, playable_pool

    client = client_for(server, login_server)
    detail = client.get_season(season or client.get_default_season().name)
    check_compatible(detail)
    pool = playable_pool(client, detail)
    return "Pool", f"{pool.pool_name} ({detail.name}, {pool.game_engine})", environment_of(pool)
