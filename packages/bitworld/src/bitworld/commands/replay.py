"""`cogames bitworld replay`, and the viewer that `cogames replay` starts for a BitWorld file."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from bitworld.commands.options import NIM, Address, Nim, explain_nim, run_server
from softmax.cli.errors import fail
from softmax.cli.output import hint
from softmax.cli.program import examples

__all__ = ["replay", "show_replay"]

LOCAL = "127.0.0.1"
PAGE = "/client/global.html"

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recorded game, .bitreplay.")]
GameName = Annotated[str | None, typer.Option("--game", metavar="GAME", help="Game, if not the one in the file.")]
Port = Annotated[
    int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="Port; without one, a free one.")
]
BrowserAddress = Annotated[
    str, typer.Option("--browser-address", metavar="HOST", help="Host in the link, if it differs from --address.")
]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="S", min=0, help="Seconds to serve; by default until Ctrl-C.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the link.")]


@examples("cogames bitworld replay game.bitreplay", "cogames bitworld replay game.bitreplay --port 8080 --duration 60")
def replay(
    file: File,
    game: GameName = None,
    port: Port = None,
    address: Address = LOCAL,
    browser_address: BrowserAddress = LOCAL,
    duration: Duration = None,
    no_browser: NoBrowser = False,
    nim: Nim = NIM,
) -> None:
    """Watch a recorded BitWorld game in the browser.

    Serves the recording on this machine, with the keys of the map viewer: space, arrows of speed, a timeline.
    """
    explain_nim(nim)
    show_replay(
        file,
        game=game,
        port=port or 0,
        address=address,
        browser_address=browser_address,
        duration=duration,
        opens_browser=not no_browser,
    )


def show_replay(
    file: Path,
    *,
    game: str | None = None,
    port: int = 0,
    address: str = LOCAL,
    browser_address: str = LOCAL,
    duration: float | None = None,
    opens_browser: bool = True,
) -> int:
    """Serve a recording until Ctrl-C or for `duration` seconds; return 0. Fails with a sentence about the file."""
    from bitworld.errors import BitWorldError
    from bitworld.replays import ReplayGame, read_replay

    if not file.exists():
        fail(f"Replay file not found: {file}")
    if not file.is_file():
        fail(f"{file} is a folder; pass the path of a replay")
    try:
        recording = read_replay(file.read_bytes())
        if game is not None and game != recording.game:
            fail(f"{file} is a replay of {recording.game!r}, not of {game!r}")
        playback = ReplayGame(recording)
    except BitWorldError as error:
        fail(f"{file} cannot be shown: {error}")
    run_server(_serve(playback, address, port, browser_address, duration, opens_browser), port)
    return 0


async def _serve(
    playback: object, address: str, port: int, browser_address: str, duration: float | None, opens_browser: bool
) -> None:
    import webbrowser

    from bitworld.replays import ReplayGame
    from bitworld.server import GameServer, RealTime, ReplayRoom
    from mettagrid.util.display import has_display

    assert isinstance(playback, ReplayGame)
    async with GameServer(ReplayRoom(playback), clock=RealTime(), host=address, port=port) as server:
        url = f"http://{browser_address}:{server.port}{PAGE}"
        if not opens_browser or not (has_display() and webbrowser.open(url)):
            hint("open this URL in a browser; press Ctrl-C to stop")
        print(url, flush=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(duration):
                await server.run()
