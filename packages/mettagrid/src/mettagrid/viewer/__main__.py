"""View a replay.

usage: python -m mettagrid.viewer FILE [FILE] [--html OUT] [--video OUT] [--port N] [--no-browser]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress

from mettagrid.viewer import ViewerError, serve, write_html, write_video


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mettagrid.viewer", description="View a replay.")
    parser.add_argument("file", help="a replay of any format")
    parser.add_argument("beside", nargs="?", help="a second replay to compare it with")
    parser.add_argument("--html", metavar="OUT", help="write one page that works from disk instead")
    parser.add_argument("--video", metavar="OUT", help="write a video instead: .mp4, .webm or .gif")
    parser.add_argument("--port", type=int, default=0, help="port to serve at; by default a free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    options = parser.parse_args(arguments)
    from mettagrid.replay import ReplayError

    try:
        if options.html:
            print(write_html(options.file, options.html))
        if options.video:
            print(write_video(options.file, options.video))
        if options.html or options.video:
            return 0
        with serve(options.file, beside=options.beside, port=options.port) as server, suppress(KeyboardInterrupt):
            if not options.no_browser and not server.open_browser():
                print("Open this address in a browser; press Ctrl-C to stop", file=sys.stderr)
            print(server.address, flush=True)
            server.wait()
    except (ReplayError, ViewerError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
