"""Filter on a target that can be used."""

from typing import Literal

from mettagrid.base_config import Config


class TargetIsUsableFilter(Config):
    """Passes when there is an object to use on the target cell."""

    filter_type: Literal["target_is_usable"] = "target_is_usable"
