"""`check_mission`: list everything that is wrong with a mission."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from mettagrid.checks.maps import check_map
from mettagrid.checks.play import check_play
from mettagrid.checks.problems import BadMission, Problem, ProblemKind
from mettagrid.checks.rules import check_features, check_rules
from mettagrid.config.mettagrid_config import GameConfig, MettaGridConfig

_STEPS = 3


def check_mission(mission: object, *, seed: int = 0, steps: int = _STEPS) -> list[Problem]:
    """Return all problems of a mission; an empty list if there are none.

    `mission` is a `MettaGridConfig` or `GameConfig`, the plain data of one, or a mission object with `make_env()`; it
    is not changed. The rules are compiled, the map is built with `seed` (unless it has its own), its objects are looked
    up and checked for reachability, and the first `steps` steps are played with random moves.

    Errors come first, warnings last. `refuse_bad_mission` raises instead.
    """
    config, problems = _config_of(mission)
    if config is None:
        return problems
    config = config.model_copy(deep=True)
    problems += check_features(config.game)
    too_many_features = bool(problems)
    rule_problems, program = check_rules(config.game)
    if too_many_features:
        rule_problems = [problem for problem in rule_problems if problem.place != "game.obs"]
    problems += rule_problems
    map_problems, grid = check_map(config.game, seed)
    problems += map_problems
    if program is not None and grid is not None and not any(not problem.is_warning for problem in problems):
        problems += check_play(program, grid, seed, steps)
    return sorted(problems, key=lambda problem: problem.is_warning)


def refuse_bad_mission(mission: object, *, seed: int = 0, strict: bool = False) -> None:
    """Raise `BadMission` if `check_mission` finds an error; with `strict` also for warnings."""
    problems = check_mission(mission, seed=seed)
    if not strict:
        problems = [problem for problem in problems if not problem.is_warning]
    if problems:
        raise BadMission(_label_of(mission), problems)


def _config_of(mission: object) -> tuple[MettaGridConfig | None, list[Problem]]:
    try:
        return _converted(mission), []
    except ValidationError as error:
        return None, [_config_problem(detail) for detail in error.errors(include_url=False)]
    except Exception as error:  # mission objects run code of their authors, which may fail in any way
        reason = type(error).__name__ if not str(error) else str(error)
        return None, [
            Problem(
                ProblemKind.CONFIG,
                "mission",
                f"It has no valid configuration: {reason.rstrip('.')}.",
                "Give a MettaGridConfig, its data, or a mission with make_env().",
            )
        ]


def _converted(mission: object) -> MettaGridConfig:
    if isinstance(mission, MettaGridConfig):
        return mission
    if isinstance(mission, GameConfig):
        return MettaGridConfig(game=mission)
    if isinstance(mission, Mapping):
        return MettaGridConfig.model_validate(dict(mission))
    make_env: Any = getattr(mission, "make_env", None)
    if not callable(make_env):
        raise TypeError(f"{type(mission).__name__} is not a mission")
    env = make_env()
    if not isinstance(env, MettaGridConfig):
        raise TypeError(f"make_env() returns a {type(env).__name__}")
    return env


def _config_problem(detail: Any) -> Problem:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).removeprefix(".")
    message = str(detail["msg"]).removeprefix("Value error, ")
    fix = f"It is {detail['input']!r:.60}." if detail["type"] != "missing" else "Add it."
    if detail["type"] == "extra_forbidden":
        message, fix = "There is no such setting.", "Remove it, or correct its name."
    return Problem(ProblemKind.CONFIG, place or "mission", message if message.endswith(".") else f"{message}.", fix)


def _label_of(mission: object) -> str:
    label = getattr(mission, "label", None) or getattr(mission, "name", None)
    if label is None and isinstance(mission, Mapping):
        label = mission.get("label")
    return str(label or "mission")
