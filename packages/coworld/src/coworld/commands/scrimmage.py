"""`coworld scrimmage`."""

from __future__ import annotations

from typing import Annotated

import typer

from coworld.cli.options import (
    AwsProfile,
    AwsRegion,
    EngineName,
    Json,
    Manifest,
    Maps,
    OutputDir,
    Platform,
    Pull,
    SecretEnv,
    Server,
    Timeout,
    UnsafeLocal,
    UseBedrock,
    UseLlm,
    Variant,
    VerifyReplay,
    Words,
)
from softmax.cli.program import examples

__all__ = ["scrimmage"]

Image = Annotated[str, typer.Argument(metavar="IMAGE", help="The player's image; it plays in every seat.")]


@examples("coworld scrimmage paintarena softmax/paintarena-player:latest --variant quick -o results")
def scrimmage(
    manifest: Manifest,
    image: Image,
    run: Words = None,
    output_dir: OutputDir = None,
    variant: Variant = None,
    timeout_seconds: Timeout = 3600.0,
    verify_replay: VerifyReplay = False,
    use_llm: UseLlm = False,
    use_bedrock: UseBedrock = False,
    aws_profile: AwsProfile = None,
    aws_region: AwsRegion = None,
    secret_env: SecretEnv = None,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Run an episode with one player in every seat."""
    from coworld.commands.run_episode import run_episodes

    run_episodes(
        manifest,
        [image],
        run=run or [],
        output_dir=output_dir,
        episodes=1,
        variant=variant,
        timeout_seconds=timeout_seconds,
        verify_replay=verify_replay,
        use_llm=use_llm,
        use_bedrock=use_bedrock,
        aws_profile=aws_profile,
        aws_region=aws_region,
        secret_env=secret_env or [],
        engine=engine,
        pull=pull,
        platform=platform,
        maps=maps or [],
        unsafe_local=unsafe_local,
        server=server,
        as_json=json,
    )
