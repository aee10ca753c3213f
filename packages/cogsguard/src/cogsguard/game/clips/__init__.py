"""The clips: ships, the attacks that spread from them, and variants of both."""

from cogsguard.game.clips.clips import (
    AdaptiveClipsVariant,
    AngryClipsVariant,
    ClipsConfig,
    ClipsVariant,
    GreedyClipsVariant,
    NoClipsVariant,
)
from cogsguard.game.clips.ship import (
    CLIPS_SHIP_MAP_NAME,
    DEFAULT_CLIPS_SHIP_COUNT,
    CvCShipConfig,
    add_clips_ships_to_map_config,
    clips_ship_map_names_in_map_config,
    is_clips_ship_map_name,
    remove_clips_ships_from_map_config,
    set_clips_ships_in_map_config,
)

__all__ = [
    "CLIPS_SHIP_MAP_NAME",
    "DEFAULT_CLIPS_SHIP_COUNT",
    "AdaptiveClipsVariant",
    "AngryClipsVariant",
    "ClipsConfig",
    "ClipsVariant",
    "CvCShipConfig",
    "GreedyClipsVariant",
    "NoClipsVariant",
    "add_clips_ships_to_map_config",
    "clips_ship_map_names_in_map_config",
    "is_clips_ship_map_name",
    "remove_clips_ships_from_map_config",
    "set_clips_ships_in_map_config",
]
