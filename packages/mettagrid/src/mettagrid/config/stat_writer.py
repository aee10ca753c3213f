"""A stat computed from a game value."""

from typing import TYPE_CHECKING

from mettagrid.base_config import Config

if TYPE_CHECKING:
    from mettagrid.config.game_value import AnyGameValue
else:
    from mettagrid.config._rules import AnyGameValue


class StatWriter(Config):
    """Writes `value` to the stat `name`, or adds it with `accumulate`."""

    name: str
    value: AnyGameValue
    accumulate: bool = False
