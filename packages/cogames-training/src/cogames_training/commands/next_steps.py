"""The commands to run after a training run."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cogames_training.args import TrainArgs

if TYPE_CHECKING:
    from cogames_training.training import Result

__all__ = ["command_words", "print_next_steps"]


def command_words(ctx: typer.Context) -> list[str]:
    """Return the words of the command line, whatever program has called it."""
    words = ctx.command_path.split()
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        if source is None or source.name != "COMMANDLINE":
            continue
        value = ctx.params[param.name or ""]
        if value is True:
            words.append(param.opts[0])
            continue
        for item in value if isinstance(value, list | tuple) else [value]:
            words += [param.opts[0], str(item)]
    return words


def print_next_steps(result: Result, args: TrainArgs, *, to_stderr: bool = False) -> None:
    """Print how the run ended, and the commands to continue, play and evaluate it."""
    run = _path(result.run)
    status = "finished" if result.is_finished else "stopped"
    epochs = "1 epoch" if result.epochs == 1 else f"{result.epochs} epochs"
    lines = [f"Run {result.run.name} {status} after {epochs} and {result.agent_steps:,} agent steps"]
    if result.bundle is not None:
        rules = [word for variant in args.variants for word in ("-v", variant)]
        if args.cogs is not None:
            rules = ["-c", str(args.cogs), *rules]
        every = [word for name in args.missions for word in ("-m", name)]
        train = ["cogames", "tutorial", "train"]
        folder = [] if _path(result.run.parent) == "./train_dir" else ["--checkpoints", _path(result.run.parent)]
        resume = [*train, "--run", result.run.name, *folder]
        again = [*train, *every, *rules, "-p", run, *folder]
        lines += [
            f"Continue:  {shlex.join(again if result.is_finished else resume)}",
            f"Play:      {shlex.join(['cogames', 'play', *every[:2], *rules, '-p', run])}",
            f"Evaluate:  {shlex.join(['cogames', 'run', *every, *rules, '-p', run])}",
        ]
    print("\n".join(lines), file=sys.stderr if to_stderr else sys.stdout, flush=True)


def _path(path: Path) -> str:
    """Return a path as `-p` takes it, relative to the working folder if it is inside it."""
    path = path.absolute()
    return f"./{path.relative_to(Path.cwd()).as_posix()}" if path.is_relative_to(Path.cwd()) else str(path)
