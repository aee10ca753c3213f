"""Tables from names to the numbers used by the native core."""

from dataclasses import dataclass, field


@dataclass
class CppIdMaps:
    """Name to id tables of one game."""

    resource_name_to_id: dict[str, int] = field(default_factory=dict)
    tag_name_to_id: dict[str, int] = field(default_factory=dict)
    vibe_name_to_id: dict[str, int] = field(default_factory=dict)
    limit_name_to_resource_ids: dict[str, list[int]] = field(default_factory=dict)
