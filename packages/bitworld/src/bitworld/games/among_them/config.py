"""Read the configuration of Among Them: published keys and aliases, checked, with every default filled in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bitworld.errors import BadConfig
from bitworld.games.among_them.map import DEFAULT_MAP
from bitworld.games.among_them.slots import read_slots

__all__ = ["MOST_PLAYERS", "config_from_text", "read_config"]

MOST_PLAYERS = 16
INT32 = 2**31 - 1
INT64 = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Number:
    default: int
    least: int = -INT32
    most: int = INT32
    alias: str = ""
    """a second name; it wins if a configuration has both"""
    echo: str = ""
    """a further name under which the complete configuration has the value, because published readers expect it"""


NUMBERS = {
    "motionScale": Number(256, least=1),
    "accel": Number(76),
    "frictionNum": Number(144),
    "frictionDen": Number(256, least=1),
    "maxSpeed": Number(704),
    "stopThreshold": Number(8),
    "seed": Number(0xA6019, least=-INT64 - 1, most=INT64),
    "killRange": Number(20),
    "killCooldownTicks": Number(1200, least=0, alias="imposterCooldownTicks", echo="imposterCooldownTicks"),
    "roleRevealTicks": Number(120, least=0),
    "taskCompleteTicks": Number(72),
    "ventRange": Number(16),
    "reportRange": Number(20),
    "voteResultTicks": Number(72),
    "minPlayers": Number(8, least=1, most=MOST_PLAYERS),
    "imposterCount": Number(2, least=0),
    "startWaitTicks": Number(120, least=0, alias="gameStartWaitTicks"),
    "voteTimerTicks": Number(6000, least=1),
    "messageCooldownTicks": Number(100, least=0),
    "gameOverTicks": Number(360, least=0),
    "maxTicks": Number(10000, least=0, alias="maxGameTicks", echo="maxGameTicks"),
    "maxGames": Number(0, least=0),
    "tasksPerPlayer": Number(8, least=0),
    "buttonCalls": Number(1, least=0, alias="numberOfButtonCalls"),
}
SWITCHES = ("showTaskArrows", "showTaskBubbles", "showPlayerLabels")

# The order in which published servers write the complete configuration.
ORDER = (
    "motionScale accel frictionNum frictionDen maxSpeed stopThreshold seed killRange killCooldownTicks "
    "imposterCooldownTicks roleRevealTicks taskCompleteTicks ventRange reportRange voteResultTicks minPlayers "
    "imposterCount autoImposterCount startWaitTicks voteTimerTicks messageCooldownTicks gameOverTicks maxTicks "
    "maxGameTicks maxGames tasksPerPlayer buttonCalls mapPath showTaskArrows showTaskBubbles showPlayerLabels "
    "tokens slots"
).split()


def read_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the complete configuration; reading the result again gives the same. Raises `BadConfig`."""
    if not isinstance(given, Mapping):
        raise BadConfig(f"The configuration must be an object, not {_kind(given)}")
    config: dict[str, Any] = {}
    for name, number in NUMBERS.items():
        config[name] = _number(given, name, number)
        if number.echo:
            config[number.echo] = config[name]
    config["autoImposterCount"] = _auto_imposters(given)
    config["mapPath"] = _text(given, "mapPath", _text(given, "map", DEFAULT_MAP))
    config |= {name: _switch(given, name, True) for name in SWITCHES}
    config["tokens"], config["slots"] = read_slots(given.get("tokens", []), given.get("slots", []), MOST_PLAYERS)
    return {name: config[name] for name in ORDER}


def config_from_text(text: str) -> dict[str, Any]:
    """Return the complete configuration of a JSON text; an empty text gives the defaults. Raises `BadConfig`."""
    try:
        given = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadConfig(f"The configuration is not JSON: {error}") from error
    return read_config(given)


def _number(given: Mapping[str, Any], name: str, number: Number) -> int:
    result = number.default
    for key in filter(None, (name, number.alias)):
        if key not in given:
            continue
        result = given[key]
        if not isinstance(result, int) or isinstance(result, bool):
            raise BadConfig(f"{key} must be a whole number, not {_kind(result)}")
        if not number.least <= result <= number.most:
            raise BadConfig(f"{key} must be between {number.least} and {number.most}, not {result}")
    return result


def _auto_imposters(given: Mapping[str, Any]) -> bool:
    """Return whether the number of imposters follows from the number of players; a given number turns this off."""
    auto = "imposterCount" not in given
    return _switch(given, "imposterRatio", _switch(given, "autoImposterCount", auto))


def _switch(given: Mapping[str, Any], name: str, default: bool) -> bool:
    value = given.get(name, default)
    if not isinstance(value, bool):
        raise BadConfig(f"{name} must be true or false, not {_kind(value)}")
    return value


def _text(given: Mapping[str, Any], name: str, default: str) -> str:
    value = given.get(name, default)
    if not isinstance(value, str):
        raise BadConfig(f"{name} must be a text, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    """Return the value as it looks in JSON, or only its kind if it is long."""
    if isinstance(value, dict | list | str):
        return {dict: "an object", list: "an array", str: "a text"}[type(value)]
    return json.dumps(value, default=str)
