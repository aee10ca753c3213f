"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AwsProfile",
    "AwsRegion",
    "BundleArg",
    "EngineName",
    "Json",
    "Manifest",
    "Maps",
    "OpenBrowser",
    "OutputDir",
    "Platform",
    "Pull",
    "Seats",
    "SecretEnv",
    "Server",
    "Timeout",
    "UnsafeLocal",
    "UseBedrock",
    "UseLlm",
    "Variant",
    "VerifyReplay",
    "Words",
]

Manifest = Annotated[
    str,
    typer.Argument(
        metavar="MANIFEST",
        help="A coworld_manifest.json: its path, folder or address, an installed one's name, or a server's cow_ id.",
    ),
]
Seats = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[REQUEST | IMAGE...]",
        help="An episode request (.json), or images for the seats: one for all, or one for each.",
        show_default=False,
    ),
]
BundleArg = Annotated[Path, typer.Argument(metavar="BUNDLE", help="An episode bundle (.zip), or an episode's folder.")]
Words = Annotated[
    list[str] | None,
    typer.Option("--run", metavar="WORD", help="One word of the command of the given images (repeatable)."),
]
OutputDir = Annotated[
    Path | None,
    typer.Option(
        "--output-dir", "-o", metavar="DIR", help="The output folder; by default `results` beside the manifest."
    ),
]
Variant = Annotated[
    str | None,
    typer.Option("--variant", metavar="ID", help="Variant to play; by default the certification fixture."),
]
Timeout = Annotated[
    float, typer.Option("--timeout-seconds", metavar="SECONDS", min=1.0, help="Time for all of it, in seconds.")
]
VerifyReplay = Annotated[
    bool, typer.Option("--verify-replay/--no-verify-replay", help="Load the replay afterwards and check it.")
]
SecretEnv = Annotated[
    list[str] | None,
    typer.Option("--secret-env", metavar="KEY=VALUE", help="A secret variable for the players (repeatable)."),
]
UseLlm = Annotated[
    bool,
    typer.Option("--use-llm", help="Let players use the model at COWORLD_LLM_ENDPOINT, or OPENROUTER_API_KEY."),
]
UseBedrock = Annotated[bool, typer.Option("--use-bedrock", help="Let players use Bedrock with AWS keys from here.")]
AwsProfile = Annotated[
    str | None, typer.Option("--aws-profile", metavar="NAME", help="Profile of ~/.aws that has the keys for Bedrock.")
]
AwsRegion = Annotated[str | None, typer.Option("--aws-region", metavar="REGION", help="Region of Bedrock.")]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        envvar="COWORLD_ENGINE",
        help="The engine that runs the programs: auto, process, podman, docker or kubernetes.",
    ),
]
Pull = Annotated[
    str, typer.Option("--pull", metavar="WHEN", help="Download container images: never, missing or always.")
]
Platform = Annotated[
    str | None,
    typer.Option("--platform", metavar="OS/ARCH", help="Platform of container images; by default linux/amd64."),
]
UnsafeLocal = Annotated[bool, typer.Option("--unsafe-local", help="Run programs you trust where no isolation works.")]
Maps = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="IMAGE=DIR", help="A local folder that replaces an image (repeatable)."),
]
OpenBrowser = Annotated[bool, typer.Option("--open-browser/--no-open-browser", help="Open it in the browser.")]
Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="Server that has the `cow_` id or /v2/coworlds path; by default COGAMES_API_URL.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
