"""`cogames replay`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softmax.cli.errors import fail
from softmax.cli.output import Format, hint, print_data
from softmax.cli.program import examples

if TYPE_CHECKING:
    from mettagrid.replay import Replay

INSTEAD = "Instead of the viewer"

File = Annotated[Path, typer.Argument(metavar="FILE", help="A replay: .cogreplay, .json.z, .bitreplay or older.")]
Beside = Annotated[
    Path | None, typer.Option("--beside", metavar="FILE", help="Second replay to compare with the first.")
]
Port = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to serve at; 0: a free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address.")]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="S", help="Seconds to show a BitWorld replay; others ignore it.")
]
AsText = Annotated[bool, typer.Option("--text", help="Print a summary.", rich_help_panel=INSTEAD)]
AsDocument = Annotated[
    Format | None,
    typer.Option("--format", metavar="FMT", help="Print the summary as yaml or json.", rich_help_panel=INSTEAD),
]
AsPage = Annotated[
    Path | None,
    typer.Option("--html", metavar="OUT", help="Write one self-contained page.", rich_help_panel=INSTEAD),
]
AsVideo = Annotated[
    Path | None,
    typer.Option("--video", metavar="OUT", help="Write a video: .mp4, .webm or .gif.", rich_help_panel=INSTEAD),
]


@examples(
    "cogames replay ./replays/game.json.z",
    "cogames replay before.cogreplay --beside after.cogreplay",
    "cogames replay game.json.z --html game.html --video game.mp4",
    "cogames replay game.json.z --text",
)
def replay(
    file: File,
    beside: Beside = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
    text: AsText = False,
    format: AsDocument = None,
    html: AsPage = None,
    video: AsVideo = None,
    duration: Duration = None,
) -> None:
    """Watch a saved episode in the browser.

    Serves the viewer on this machine and opens it; if no browser can be opened, prints the URL. Press Ctrl-C to stop.
    """
    if _is_bitworld(file):
        if beside is not None or text or format is not None or html is not None or video is not None:
            fail(
                f"{file} is a BitWorld replay; it can only be watched",
                "omit --beside, --text, --format, --html, --video",
            )
        _watch_bitworld(file, port, duration, opens_browser=not no_browser)
        return
    episode = _checked(file)
    if beside is not None:
        _checked(beside)
    if text or format is not None:
        _print_summary(episode, format)
    if html is not None or video is not None:
        from mettagrid.viewer import write_html, write_video

        if html is not None:
            print(f"Wrote {write_html(file, html)}")
        if video is not None:
            print(f"Wrote {write_video(episode, video)}")
    if text or format is not None or html is not None or video is not None:
        return

    from mettagrid.viewer import serve

    with serve(file, beside=beside, port=port) as server, suppress(KeyboardInterrupt):
        if no_browser or not server.open_browser():
            hint("open this URL in a browser; press Ctrl-C to stop")
        print(server.address, flush=True)
        server.wait()


def _is_bitworld(file: Path) -> bool:
    from cogames.commands.shared.bitworld_viewer import MAGIC

    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(MAGIC)) == MAGIC


def _watch_bitworld(file: Path, port: int, duration: float | None, *, opens_browser: bool) -> None:
    from cogames.commands.shared.bitworld_viewer import MISSING, bitworld_viewer

    show = bitworld_viewer()
    if show is None:
        fail(f"{file} is a BitWorld replay. {MISSING}", "pip install cogames[bitworld]")
    show(file, port=port, duration=duration, opens_browser=opens_browser)


def _checked(file: Path) -> Replay:
    """Load the replay; fail with a message about the file before anything is served or written."""
    if not file.exists():
        fail(f"Replay file not found: {file}")
    if not file.is_file():
        fail(f"{file} is a folder; pass the path of a replay")
    from mettagrid.replay import load_replay

    return load_replay(file)


def _print_summary(episode: Replay, format: Format | None) -> None:
    from mettagrid.replay import summarize

    summary = summarize(episode)
    if format is None:
        print(summary.text())
        return
    import dataclasses

    print_data(dataclasses.asdict(summary), format)
