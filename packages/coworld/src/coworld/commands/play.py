"""`coworld play`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from coworld.cli.options import (
    AwsProfile,
    AwsRegion,
    EngineName,
    Json,
    Manifest,
    Maps,
    OpenBrowser,
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
    Words,
)
from softmax.cli.program import examples

if TYPE_CHECKING:
    from coworld.runner.play import PlaySession

__all__ = ["play"]

ExitTimeout = Annotated[
    float,
    typer.Option(
        "--player-exit-timeout-seconds",
        metavar="SECONDS",
        min=1.0,
        help="How long players may take to exit after the game.",
    ),
]
Humans = Annotated[
    list[int] | None,
    typer.Option("--human", metavar="SLOT", min=0, help="Leave a seat to the person who opens its link (repeatable)."),
]


@examples("coworld play paintarena --human 0", "coworld play cogsguard --variant by-hand --human 0 --no-open-browser")
def play(
    manifest: Manifest,
    seats: Seats = None,
    run: Words = None,
    output_dir: OutputDir = None,
    variant: Variant = None,
    human: Humans = None,
    timeout_seconds: Timeout = 3600.0,
    player_exit_timeout_seconds: ExitTimeout = 30.0,
    use_llm: UseLlm = False,
    use_bedrock: UseBedrock = False,
    aws_profile: AwsProfile = None,
    aws_region: AwsRegion = None,
    secret_env: SecretEnv = None,
    open_browser: OpenBrowser = True,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Play a Coworld in the browser, with or against players.

    Prints a link for every seat, for watching and for steering, and opens the one for watching. Opening a seat's link
    takes the seat. Ends when the game does.

    With `--human`, opens the first of these seats, plays the variant `by-hand` if the game has one and no other is
    named, and waits for the people. After the game it shows the replay until Ctrl-C.
    """
    from coworld.cli.browser import open_page
    from coworld.cli.episodes import describe_failure, episode_document, print_episode, request_for, with_commands
    from coworld.cli.json_output import PlayDocument
    from coworld.cli.setting import check_words, default_output, engine_for, player_secrets
    from coworld.manifest.arguments import opened
    from coworld.runner.options import EpisodeOptions
    from coworld.runner.play import by_hand, play_package, refuse_game_hosted, show_after, with_people
    from softmax.cli.errors import UsageError
    from softmax.cli.output import note, print_error, print_json

    words = check_words(run or [])
    secrets = player_secrets(
        secret_env or [], use_llm=use_llm, use_bedrock=use_bedrock, aws_profile=aws_profile, aws_region=aws_region
    )

    def ready(session: PlaySession) -> None:
        links = session.links
        seated = human or range(len(links.players))
        lines = [f"Player {slot}: {links.players[slot]}" for slot in seated]
        for line in (*lines, f"Global: {links.global_}", f"Admin: {links.admin}"):
            note(line) if json else print(line, flush=True)
        if human:
            note("The game begins when everyone is ready")
        if open_browser and not open_page(links.players[human[0]] if human else links.global_):
            note("Open one of these links in a browser")

    with opened(manifest, server=server) as package:
        refuse_game_hosted(package)
        if human and variant is None and not seats:
            variant = by_hand(package)
        request = request_for(package, seats or [], variant=variant, run=words, secrets=secrets.env)
        try:
            request = with_people(request, human or [], wait_seconds=timeout_seconds)
        except ValueError as error:
            raise UsageError(str(error)) from error
        chosen = engine_for(package, engine, maps=maps or [], unsafe=unsafe_local, pull=pull, platform=platform)
        request = with_commands(request, seats or [], run=words, engine=chosen)
        session, outcome = play_package(
            package,
            request,
            engine=chosen,
            workspace=(output_dir or default_output(package, manifest)).absolute(),
            options=EpisodeOptions(
                budget_seconds=timeout_seconds,
                player_exit_seconds=player_exit_timeout_seconds,
                secret_env=secrets.env,
                egress=secrets.hosts,
            ),
            on_ready=ready,
            variant_id=variant or "",
        )
        document = episode_document(request, outcome)
        if not json:
            print_episode(document, manifest, server)
            if human and open_browser and session is not None:
                note("The replay is shown until Ctrl-C")
                show_after(session, engine=chosen, on_ready=lambda link: print(f"Replay: {link}", flush=True))
        else:
            links = session.links if session is not None else None
            link_document = (
                {} if links is None else {"players": links.players, "global": links.global_, "admin": links.admin}
            )
            name = package.manifest.game.name
            print_json(PlayDocument(coworld=name, variant=variant, links=link_document, episode=document))
            if document.error is not None:
                print_error(f"Error: {describe_failure(document.error)}")
    if document.error is not None:
        raise typer.Exit(1)
