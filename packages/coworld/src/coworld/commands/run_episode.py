"""`coworld run-episode`."""

from __future__ import annotations

from pathlib import Path
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
    Seats,
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

__all__ = ["run_episode"]

Episodes = Annotated[
    int,
    typer.Option("--episodes", "-n", metavar="N", min=1, help="Number of episodes; the seed increases by one each."),
]
HOPELESS = ("platform_error", "config_error")
"""failures after which the next episode would fail the same way"""


@examples(
    "coworld run-episode paintarena -o results",
    "coworld run-episode coworld_manifest.json my-player:latest --run python --run player.py",
    "coworld run-episode coworld_manifest.json -n 3 --variant quick-small --json",
)
def run_episode(
    manifest: Manifest,
    seats: Seats = None,
    run: Words = None,
    output_dir: OutputDir = None,
    episodes: Episodes = 1,
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
    """Run episodes without a browser.

    By default the certification fixture is played with its own players.
    """
    run_episodes(
        manifest,
        seats or [],
        run=run or [],
        output_dir=output_dir,
        episodes=episodes,
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


def run_episodes(
    manifest: str,
    given: list[str],
    *,
    run: list[str],
    output_dir: Path | None,
    episodes: int,
    variant: str | None,
    timeout_seconds: float,
    verify_replay: bool,
    use_llm: bool,
    use_bedrock: bool,
    aws_profile: str | None,
    aws_region: str | None,
    secret_env: list[str],
    engine: str,
    pull: str,
    platform: str | None,
    maps: list[str],
    unsafe_local: bool,
    server: str | None,
    as_json: bool,
) -> None:
    """Run, print, and end with exit code 1 when one failed."""
    from coworld.cli.episodes import episode_document, print_episode, request_for, with_commands, with_seed
    from coworld.cli.json_output import EpisodesDocument
    from coworld.cli.setting import check_words, default_output, engine_for, player_secrets
    from coworld.manifest.arguments import opened
    from coworld.runner.lock import sole_use
    from coworld.runner.options import EpisodeOptions
    from coworld.runner.runner import run_episode as run_one
    from softmax.cli.output import print_error, print_json

    words = check_words(run)
    secrets = player_secrets(
        secret_env, use_llm=use_llm, use_bedrock=use_bedrock, aws_profile=aws_profile, aws_region=aws_region
    )
    with opened(manifest, server=server) as package:
        request = request_for(package, given, variant=variant, run=words, secrets=secrets.env)
        chosen = engine_for(package, engine, maps=maps, unsafe=unsafe_local, pull=pull, platform=platform)
        request = with_commands(request, given, run=words, engine=chosen)
        root = (output_dir or default_output(package, manifest)).absolute()
        options = EpisodeOptions(
            budget_seconds=timeout_seconds,
            verify_replay=verify_replay,
            secret_env=secrets.env,
            egress=secrets.hosts,
        )
        played = []
        with sole_use(root):
            for number in range(episodes):
                workspace = root if episodes == 1 else root / f"episode-{number + 1:04d}"
                seeded = with_seed(request, number)
                outcome = run_one(package, seeded, engine=chosen, workspace=workspace, options=options)
                document = episode_document(seeded, outcome)
                played.append(document)
                if not as_json:
                    print_episode(document, manifest, server)
                if document.error is not None and document.error.type in HOPELESS:
                    break
        if episodes > 1 and not as_json:
            print(f"Artifacts root: {root}")
        if as_json:
            game = package.manifest.game
            print_json(
                EpisodesDocument(
                    coworld=game.name,
                    version=game.version,
                    engine=chosen.name,
                    variant=variant,
                    artifacts_root=str(root),
                    episodes=played,
                )
            )
    failed = [document.error for document in played if document.error is not None]
    if failed:
        if as_json or episodes > 1:
            print_error(f"Error: {len(failed)} of {len(played)} episodes failed")
        raise typer.Exit(1)
