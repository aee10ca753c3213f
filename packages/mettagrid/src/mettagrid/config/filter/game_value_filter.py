"""Filter on a game value."""

from typing import TYPE_CHECKING, Literal

from mettagrid.config._rules import IntOrGameValue
from mettagrid.config.filter.filter import Filter

if TYPE_CHECKING:
    from mettagrid.config.game_value import AnyGameValue
else:
    from mettagrid.config._rules import AnyGameValue


class GameValueFilter(Filter):
    """Passes when `value`, read for the entity, is at least `min`."""

    filter_type: Literal["game_value"] = "game_value"
    value: AnyGameValue
    min: IntOrGameValue = 0
