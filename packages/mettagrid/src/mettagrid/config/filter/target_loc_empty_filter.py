"""Filter on an empty target cell."""

from typing import Literal

from mettagrid.base_config import Config


class TargetLocEmptyFilter(Config):
    """Passes when the target cell is empty."""

    filter_type: Literal["target_loc_empty"] = "target_loc_empty"
