"""`cogames create-bundle` and `cogames validate-bundle`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogames.cli import choices, options
from cogames.cli.errors import CommandError, fail
from cogames.cli.output import note, print_data, warn
from cogames.cli.program import examples

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
        "--include-files", "-f", metavar="PATH", help="File or folder to include (repeatable).", rich_help_panel=FILES
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
BundleUri = Annotated[
    str, typer.Option("--policy", "-p", metavar="URI", help="Bundle: a .zip, a folder, or the URI of one.")
]
OnMission = Annotated[
    str, typer.Option("--mission", "-m", metavar="MISSION", help="Mission to try it on.", rich_help_panel="Mission")
]
ForServer = Annotated[str | None, typer.Option(hidden=True)]


@examples(
    "cogames create-bundle -p class=my_policy.StarterPolicy -f my_policy.py -o submission.zip",
    "cogames create-bundle -p ./train_dir/my_run:v5 -k temperature=0.5 -f helpers --setup-script setup_policy.py",
)
def create_bundle(
    ctx: typer.Context,
    policy: BundlePolicy,
    init_kwarg: InitKwargs = None,
    output: Output = Path("submission.zip"),
    include_files: IncludeFiles = None,
    setup_script: SetupScript = None,
) -> None:
    """Pack a policy into a bundle.

    A bundle is a .zip with a description of the policy, its code and its weights. Files must lie in the current folder.
    """
    for text in init_kwarg or []:
        if not text.partition("=")[0].strip() or "=" not in text:
            raise typer.BadParameter(f"{text!r} is not KEY=VAL.", ctx=ctx, param_hint="--init-kwarg / -k")

    from cogames.bundles import create_bundle as pack
    from cogames.policy_args import parse_init_kwargs

    choices.use_working_folder()
    try:
        made = pack(
            policy,
            output,
            include_files=include_files or [],
            init_kwargs=parse_init_kwargs(init_kwarg or []),
            setup_script=setup_script,
        )
    except (ValueError, OSError, ImportError) as error:
        raise CommandError(str(error)) from error
    for sentence in made.warnings:
        warn(sentence)
    spec = made.spec
    print(f"Policy class: {spec.class_path}")
    if spec.init_kwargs:
        print(f"Init kwargs: {spec.init_kwargs}")
    if spec.data_path:
        print(f"Data path: {spec.data_path}")
    if spec.setup_script:
        print(f"Setup script: {spec.setup_script}")
    print(f"Including {len(made.included)} file(s)")
    print(f"Bundle size: {max(1, round(made.size / 1024))} KB")
    print(f"Bundle created: {made.path}")


@examples("cogames validate-bundle -p ./submission.zip", "cogames validate-bundle -p ./my_run -m machina_1")
def validate_bundle(
    policy: BundleUri,
    mission: OnMission = "arena",
    game: options.Game = "cogsguard",
    format: options.OutputFormat = None,
    season: ForServer = None,
    server: ForServer = None,
    login_server: ForServer = None,
    image: ForServer = None,
) -> None:
    """Try a bundle in a sandbox.

    At most ten steps with the policy in every seat, in a container where one answers, else in another sandbox; it says
    in which. A policy that cannot be loaded, breaks, or only does nothing is not valid.
    """
    if any((season, server, login_server, image)):
        warn(f"there is no tournament server to ask yet; the bundle is tried on {mission}")
    chosen = choices.mission(mission, variants=None, game=game)

    import cogbox
    from mettagrid.runner.boxed import validate_bundle as validate

    try:
        result = validate(policy, chosen.env)
    except cogbox.LevelMissing as error:
        raise CommandError(str(error), ["cogames validate-policy tries it without a sandbox"]) from error
    except (ValueError, OSError, RuntimeError, ImportError) as error:
        raise CommandError(str(error)) from error
    if format:
        document = {
            "mission_name": chosen.name,
            "sandbox": result.level,
            "steps": result.steps,
            "problem": result.problem,
        }
        print_data(document, format)
    else:
        print(f"Mission: {chosen.name}\nSandbox: {result.level}\nSteps: {result.steps}")
    if not result.ok:
        fail(f"The bundle is not valid: {result.problem}")
    note("Policy validated successfully") if format else print("Policy validated successfully")
