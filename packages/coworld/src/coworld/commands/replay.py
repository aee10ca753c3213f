"""`coworld replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from coworld.cli.options import (
    EngineName,
    Json,
    Manifest,
    Maps,
    OpenBrowser,
    Platform,
    Pull,
    Server,
    Timeout,
    UnsafeLocal,
)
from softmax.cli.program import examples

if TYPE_CHECKING:
    from coworld.runner.play import ReplaySession

__all__ = ["replay"]

ReplayArg = Annotated[
    str, typer.Argument(metavar="REPLAY", help="Path or address of a replay; `.z` and `.gz` are unpacked.")
]


@examples("coworld replay paintarena results/replay")
def replay(
    manifest: Manifest,
    replay: ReplayArg,
    timeout_seconds: Timeout = 60.0,
    open_browser: OpenBrowser = True,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Watch a replay in the browser. It is served until Ctrl-C."""
    import tempfile
    from contextlib import suppress
    from pathlib import Path

    from coworld.cli.browser import open_page
    from coworld.cli.json_output import ReplayDocument
    from coworld.cli.setting import engine_for
    from coworld.cli.support import print_replay_session
    from coworld.manifest.arguments import opened
    from coworld.runner.play import replay_package
    from coworld.uris.manifests import materialized_replay_path
    from softmax.cli.output import note, print_json

    def ready(session: ReplaySession) -> None:
        if json:
            name = session.package.manifest.game.name
            print_json(ReplayDocument(coworld=name, replay=replay, link=session.link))
        else:
            print_replay_session(session)
        if open_browser and not open_page(session.link):
            note("Open this link in a browser")
        note("Press Ctrl-C to end")

    with (
        opened(manifest, server=server) as package,
        materialized_replay_path(replay) as path,
        tempfile.TemporaryDirectory(prefix="coworld-replay-") as folder,
        suppress(KeyboardInterrupt),
    ):
        is_static = package.manifest.game.replay_viewer is not None
        replay_package(
            package,
            path,
            engine=None
            if is_static
            else engine_for(package, engine, maps=maps or [], unsafe=unsafe_local, pull=pull, platform=platform),
            workspace=Path(folder),
            timeout_seconds=timeout_seconds,
            on_ready=ready,
        )
