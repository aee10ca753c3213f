"""`python -m cogbox doctor | run`: test the levels of this machine, or run a command in a box."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from cogbox.errors import CogboxError
from cogbox.level import Level
from cogbox.limits import MIB, Limits
from cogbox.mounts import Mount
from cogbox.network import Egress, Link
from cogbox.verdict import Verdict


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cogbox", description="Run untrusted programs in a sandbox.")
    commands = parser.add_subparsers(dest="action", required=True)
    doctor = commands.add_parser("doctor", help="test every level and show which ones work, or why not")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    run = commands.add_parser(
        "run", help="run a command in a box", description="Example: cogbox run -- python3 -c 'print(1)'"
    )
    names = [level.value for level in Level]
    run.add_argument("--level", choices=names, help="use exactly this level (default: the strongest that works)")
    run.add_argument("--minimum", choices=names, default="landlock", help="weakest level to accept (default: landlock)")
    run.add_argument(
        "--mount",
        action="append",
        default=[],
        metavar="PATH[:INSIDE]",
        help="mount a folder or file read-only (repeatable)",
    )
    run.add_argument(
        "--env",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="environment variable for the program (repeatable)",
    )
    run.add_argument("--memory", type=int, default=1024, metavar="MIB", help="memory (default: 1024)")
    run.add_argument("--seconds", type=float, default=300, metavar="S", help="wall time (default: 300)")
    run.add_argument("--cpu-seconds", type=float, metavar="S", help="processor time")
    run.add_argument("--processes", type=int, default=64, metavar="N", help="processes and threads (default: 64)")
    run.add_argument("--output", type=int, default=16, metavar="MIB", help="output (default: 16)")
    run.add_argument(
        "--link",
        action="append",
        default=[],
        metavar="PORT=HOST:PORT",
        help="forward a port inside to an address outside (repeatable)",
    )
    run.add_argument(
        "--egress", action="append", default=[], metavar="HOST", help="allow HTTP(S) to this host (repeatable)"
    )
    run.add_argument("--json", action="store_true", help="print the result, including the output, as JSON")
    run.add_argument("command", nargs="+", metavar="COMMAND")
    return parser


def _link(text: str) -> Link:
    port, _, target = text.partition("=")
    host, _, target_port = target.rpartition(":")
    if not (port.isdigit() and target_port.isdigit() and host):
        raise ValueError(f"{text!r} is not a link; write PORT=HOST:PORT")
    return Link(int(port), (host.strip("[]"), int(target_port)))


def _mount(text: str) -> Mount:
    source, _, inside = text.partition(":")
    if not Path(source).exists():
        raise ValueError(f"{source} does not exist")
    return Mount(Path(source), Path(inside) if inside else None)


def _run(options: argparse.Namespace) -> int:
    from cogbox.sandbox import sandbox

    for pair in options.env:
        if "=" not in pair:
            raise ValueError(f"{pair!r} is not a variable; write NAME=VALUE")
    level = options.level or options.minimum
    chosen = sandbox(minimum=level, at_most=options.level or Level.CONTAINER)
    result = chosen.run(
        options.command,
        env=dict(pair.split("=", 1) for pair in options.env),
        mounts=[_mount(text) for text in options.mount],
        limits=Limits(
            memory=options.memory * MIB,
            wall_seconds=options.seconds,
            cpu_seconds=options.cpu_seconds,
            processes=options.processes,
            output_bytes=options.output * MIB,
        ),
        links=[_link(text) for text in options.link],
        egress=Egress(options.egress) if options.egress else None,
    )
    if options.json:
        streams = {"stdout": result.stdout.decode(errors="replace"), "stderr": result.stderr.decode(errors="replace")}
        print(json.dumps(result.as_dict() | streams, indent=2))
    else:
        sys.stdout.buffer.write(result.stdout)
        sys.stdout.flush()
        sys.stderr.buffer.write(result.stderr)
        figures = (
            f"{result.wall_seconds:.3f} s, {result.cpu_seconds:.3f} s of processor, {result.peak_memory / MIB:.1f} MiB"
        )
        proved = f"level {result.level.value}, limits by {result.limited_by}"
        print(f"cogbox: {result.verdict.value}: {result.detail} ({figures}; {proved})", file=sys.stderr)
    if result.verdict is Verdict.EXIT_CODE:
        return result.exit_code or 1
    return 0 if result.ok else 1


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        if options.action == "run":
            return _run(options)
        from cogbox.doctor import diagnose, report

        diagnosis = diagnose()
        print(json.dumps(diagnosis.as_dict(), indent=2) if options.json else report(diagnosis))
        return 0 if diagnosis.chosen else 1
    except (CogboxError, ValueError, OSError) as error:
        print(f"cogbox: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
