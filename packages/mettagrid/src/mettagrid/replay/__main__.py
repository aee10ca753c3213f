"""Summarize a replay, or convert it to another format.

usage: python -m mettagrid.replay FILE [--json] [--to FILE]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from mettagrid.replay import EXTENSIONS, ReplayError, load_replay, save_replay, summarize


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mettagrid.replay", description="Summarize a replay.")
    parser.add_argument("file", help="a replay of any format, or the URI of one")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--to", metavar="FILE", help=f"convert the replay; the name ends in {', '.join(EXTENSIONS)}")
    options = parser.parse_args(arguments)
    try:
        replay = load_replay(options.file)
        if options.to:
            save_replay(replay, options.to)
            print(f"Wrote {options.to}", file=sys.stderr)
    except (ReplayError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(dataclasses.asdict(summarize(replay)), indent=2))
    elif not options.to:
        print(summarize(replay).text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
