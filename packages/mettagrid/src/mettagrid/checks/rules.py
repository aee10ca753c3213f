"""Find problems of the rules: the compiler's errors and warnings."""

import warnings

from mettagrid.checks.parts import without_part
from mettagrid.checks.problems import Problem, ProblemKind
from mettagrid.compiler import CompileError, ConfigWarning, Program, UnknownName, compile
from mettagrid.config.mettagrid_config import GameConfig

_LAST_FEATURE = 254  # 255 marks an empty token
_MAX_PROBLEMS = 50


def check_features(game: GameConfig) -> list[Problem]:
    """Return a problem if there are more observation features than ids."""
    try:
        features = game.id_map().features()
    except ValueError:
        return []  # the compiler reports it
    if len(features) <= _LAST_FEATURE + 1:
        return []
    over = len(features) - _LAST_FEATURE - 1
    return [
        Problem(
            ProblemKind.FEATURES,
            "game.obs",
            f"The game needs {len(features)} observation features, {over} more than there are ids "
            f"(0 to {_LAST_FEATURE}); {features[_LAST_FEATURE + 1].name!r} is the first without one.",
            "Use fewer resources or global_obs.obs, a larger obs.token_value_base, or protocol_details_obs=False.",
        )
    ]


def check_rules(game: GameConfig) -> tuple[list[Problem], Program | None]:
    """Return all errors and warnings of the compiler, and the program if there are no errors.

    The compiler stops at the first error. The part with the error is removed and the rest compiled again.
    """
    problems: list[Problem] = []
    rest = game
    program = None
    while len(problems) < _MAX_PROBLEMS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                program = compile(rest)
            except CompileError as error:
                problems.append(_error(error))
                smaller = without_part(rest, error.path.removeprefix("game."))
                if smaller is None:
                    return problems, None
                rest = smaller
                continue
        texts = [str(item.message) for item in caught if issubclass(item.category, ConfigWarning)]
        problems += [_warning(text) for text in (*dict.fromkeys(texts), *_unenforced_costs(rest))]
        break
    return problems, program if rest is game else None


def _unenforced_costs(game: GameConfig) -> list[str]:
    """Return the warnings about costs that the compiler gives only in strict mode."""
    return [
        f"game.actions.{name}.{field}: costs of actions are not enforced; write them as handlers"
        for name in ("noop", "move", "attack", "change_vibe")
        for field in ("consumed_resources", "required_resources")
        if getattr(game.actions, name).enabled and getattr(getattr(game.actions, name), field)
    ]


def _error(error: CompileError) -> Problem:
    place = error.path or "game"
    message = str(error).removeprefix(f"{error.path}: ")
    if isinstance(error, UnknownName):
        message, _, fix = message.partition(" in this game. ")
        return Problem(ProblemKind.UNKNOWN_NAME, place, f"{_sentence(message)[:-1]} in this game.", fix)
    kind = ProblemKind.TOKENS if "num_tokens" in place else ProblemKind.RULES
    message, _, fix = message.partition("; ")
    return Problem(kind, place, _sentence(message), _sentence(fix) if fix else "Change this part of the rules.")


def _warning(text: str) -> Problem:
    place, _, message = text.partition(": ")
    if "the game does not have" in message:
        fix = "Correct the name, or take it out."
        return Problem(ProblemKind.UNKNOWN_NAME, place, _sentence(message), fix, is_warning=True)
    message, _, fix = message.partition("; ")
    fix = _sentence(fix) if fix else "Take it out, or change it."
    return Problem(ProblemKind.NO_EFFECT, place, _sentence(message), fix, is_warning=True)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."
