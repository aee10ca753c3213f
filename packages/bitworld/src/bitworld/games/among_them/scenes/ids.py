"""Numbers of sprites and objects, and depths. Clients and players in the wild know them."""

from enum import IntEnum

__all__ = ["Depth", "LayerId", "ObjectId", "SpriteId"]


class LayerId(IntEnum):
    MAP = 0
    TOP_LEFT = 1
    TOP_RIGHT = 2
    BOTTOM_RIGHT = 3
    TICK = 8
    CONTROLS = 9


class SpriteId(IntEnum):
    """First numbers. Figures have two numbers for each colour (right, left), the others one."""

    MAP = 1
    PLAYER = 100
    GHOST = 300
    BODY = 500
    TASK = 700
    TRAIL = 720
    COOLDOWN = 740
    SELECTED_PLAYER = 800
    SELECTED_GHOST = 900
    TICK = 4002
    INTERSTITIAL = 4005
    IMPOSTER_ICON = 5000
    IMPOSTER_ICON_COOLDOWN = 5001
    GHOST_ICON = 5002
    COUNTER = 5003
    ARROW = 5005
    SCREEN = 5006
    PROGRESS = 5007
    SHADOW = 5009
    NAME = 7000
    TEXT = 9000


class ObjectId(IntEnum):
    """First numbers; a player, body or task is added."""

    MAP = 1
    PLAYER = 1000
    BODY = 2000
    TASK = 3000
    COUNTER = 4000
    ICON = 4001
    TICK = 4002
    INTERSTITIAL = 4005
    COOLDOWN = 5000
    SCREEN = 5006
    PROGRESS = 5007
    SHADOW = 5009
    TRAIL = 6000
    NAME = 7000
    ARROW = 7000
    TEXT = 9000
    CHAT_ICON = 9200
    VOTE_ICON = 9300
    LOBBY_ICON = 9400
    ROLE_ICON = 9500
    RESULT_ICON = 9600
    GAME_OVER_ICON = 9700


class Depth(IntEnum):
    """z of what is not at the height of a figure's feet."""

    MAP = -32768
    SHADOW = -32767
    TRAIL = -100
    SCREEN = 0
    TASK = 30000
    COOLDOWN = 30001
    NAME = 30002
    COUNTER = 30003
    ICON = 30008
    TEXT = 30010
