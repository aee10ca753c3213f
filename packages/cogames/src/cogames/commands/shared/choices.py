"""Turn command-line arguments into missions, policies and devices; errors list what is allowed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from softmax.cli.errors import CommandError, fail
from softmax.cli.output import deprecated, print_error, print_table, warn

if TYPE_CHECKING:
    from cogames.missions import ChosenMission
    from cogames.policy.arguments import PolicySpecWithProportion

__all__ = ["choose_device", "missing", "mission", "missions", "output_file", "policy", "use_working_folder"]

_POLICY_FORMS = """\
A policy is one of
  NAME, NAME:N                                a short name (cogames policies), or module.Class; N shares of the seats
  class=NAME,data=FILE,proportion=F,kw.K=V    the same with weights, share and arguments
  PATH or URI[,proportion=F]                  a bundle: ./bundle.zip, ./train_dir/my_run:v5, s3://bucket/bundle.zip
  metta://policy/NAME?key=value               a name with typed arguments"""


def use_working_folder() -> None:
    """Put the working folder first on `sys.path`, so that policies in it win over installed modules."""
    folder = os.getcwd()
    if sys.path[:1] != [folder]:
        sys.path.insert(0, folder)


def missing(ctx: typer.Context, message: str, *, game: str | None = None) -> NoReturn:
    """Print the help, the missing option and, for a game, a table of its missions; exit with code 1."""
    print_error(f"{ctx.get_help()}\n\n{message}")
    if game is not None:
        from cogames.missions.arguments import mission_rows

        rows: list[Sequence[object]] = []
        for row in mission_rows(game=game):
            rows.append((row.name, row.cogs, row.map_size, row.description))
            rows += [(f"  {row.name}.{sub}", "", "", "") for sub in row.sub_missions]
        print_error("")
        print_table(["Mission", "Cogs", "Map Size", "Description"], rows, file=sys.stderr)
    print_error(f"\n{ctx.get_usage()}")
    raise typer.Exit(1)


def mission(name: str, *, variants: Sequence[str] | None, game: str, **settings: Any) -> ChosenMission:
    """Return the mission of a command that takes one."""
    from cogames.missions import choose_mission

    use_working_folder()
    with _MissionErrors(game, "use a known mission name (cogames missions) or the path of a mission file"):
        chosen = choose_mission(name, variants=variants or (), game=game, **settings)
        _warn_of_older_name(name, chosen.name, game)
    return chosen


def missions(
    names: Sequence[str], *, variants: Sequence[str] | None, mission_set: str | None, game: str, **settings: Any
) -> list[ChosenMission]:
    """Return the missions of a command that takes several."""
    from cogames.missions.arguments import choose_missions, full_name
    from cogames.missions.files import is_mission_file

    use_working_folder()
    with _MissionErrors(game, "use known mission names (cogames missions), patterns with *, or mission files"):
        chosen = choose_missions(names, mission_set=mission_set, variants=variants or (), game=game, **settings)
        for name in names:
            if "*" not in name and not is_mission_file(name):
                _warn_of_older_name(name, full_name(name, game=game), game)
    return chosen


def policy(ctx: typer.Context, text: str, device: str | None) -> PolicySpecWithProportion:
    """Parse the value of `-p`; on an error print hints and the accepted forms, and exit with code 1."""
    from cogames.policy.arguments import list_checkpoints, parse_policy_spec, policy_error_hints

    use_working_folder()
    try:
        return parse_policy_spec(text, device)
    except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
        print_error(f"Error parsing policy argument: {error}")
        for line in policy_error_hints(error):
            print_error(f"hint: {line}")
        checkpoints = list_checkpoints()
        if checkpoints:
            rows = [(name, f"{time:%Y-%m-%d %H:%M}") for name, time in checkpoints]
            print_table(["Checkpoint", "Last Modified"], rows, title="Local checkpoint bundles", file=sys.stderr)
        print_error(f"\n{_POLICY_FORMS}\n\n{ctx.get_usage()}")
        raise typer.Exit(1) from error


def choose_device(text: str) -> str:
    """Return the device for networks; warn if it is not the requested one."""
    from cogames.policy.device import resolve_device

    device, warning = resolve_device(text)
    if warning is not None:
        warn(warning)
    return device


def output_file(path: Path) -> Path:
    """Return the path of an output file, after creating its folder; fail if it is a folder itself."""
    if path.is_dir():
        fail(f"{path} is a folder; pass the path of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _warn_of_older_name(name: str, today: str, game: str) -> None:
    from cogames.missions.arguments import older_name
    from cogames.missions.files import is_mission_file

    if not is_mission_file(name) and older_name(name, game=game):
        deprecated(f"-m {name}", f"-m {today}")


class _MissionErrors:
    """Turn mission errors of the block into command errors with hints."""

    def __init__(self, game: str, advice: str) -> None:
        self._game = game
        self._advice = advice

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        from mettagrid.cogame.errors import CogsError, MissionError, UnknownGame, UnknownVariant

        if isinstance(error, UnknownVariant):
            from mettagrid.cogame.game import get_game

            known = sorted({variant.name for variant in get_game(self._game).variants})
            raise CommandError(f"Unknown variant '{error.name}'.", [f"variants: {', '.join(known)}"]) from error
        if isinstance(error, CogsError):
            raise CommandError(str(error), ["omit -c to use the mission's default number of cogs"]) from error
        if isinstance(error, MissionError):
            raise CommandError(str(error), [] if isinstance(error, UnknownGame) else [self._advice]) from error
