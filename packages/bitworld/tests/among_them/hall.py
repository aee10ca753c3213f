"""A small map for scenarios: one open hall in which every player stands in every station, and two pairs of vents."""

from typing import Any

import numpy as np

from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.map import GameMap, Place, Vent
from packages.bitworld.tests.among_them.recorded import PLAYER_FIELDS

SIDE = 120
UP, DOWN, LEFT, RIGHT, SELECT, A, B = (1 << bit for bit in range(7))


def hall(stations: int = 3) -> GameMap:
    inside = np.zeros((SIDE, SIDE), np.uint8)
    inside[10:-10, 10:-10] = 1
    return GameMap(
        name="hall",
        walk=inside,
        wall=1 - inside,
        floor=inside,
        button=Place("button", 55, 55, 10, 10),
        home=(60, 60),
        tasks=tuple(Place(f"station {i}", 0, 0, SIDE, SIDE) for i in range(stations)),
        vents=(Vent(20, 20, 12, 10, "A", 1), Vent(90, 90, 12, 10, "A", 2), Vent(20, 90, 12, 10, "B", 1)),
        rooms=(Place("Hall", 0, 0, SIDE, SIDE),),
    )


HALL = hall()


def started(players: int, roles: str = "", **config: Any) -> AmongThem:
    """Return a game in play whose ranges reach across the hall. `roles` by slot: `i` an imposter, `c` a crewmate."""
    words = {"i": "imposter", "c": "crew"}
    near = {"killRange": 500, "reportRange": 500, "ventRange": 1, "killCooldownTicks": 0, "taskCompleteTicks": 3}
    quick = {"startWaitTicks": 0, "roleRevealTicks": 0, "voteResultTicks": 1, "gameOverTicks": 2, "tasksPerPlayer": 2}
    game = AmongThem(
        {**near, **quick, "minPlayers": players, "slots": [{"role": words[role]} for role in roles]} | config,
        game_map=HALL,
    )
    for player in range(players):
        game.join(f"p{player}")
    game.step([])
    assert game.phase == "playing"
    return game


def press(game: AmongThem, **masks: int) -> None:
    """Step once with the buttons of some players (`p0=A`), then once with none."""
    held = [masks.get(f"p{player}", 0) for player in range(len(game.seats))]
    game.step(held)
    game.step([])


def player(game: AmongThem, index: int) -> dict[str, int]:
    row = game.session.describe()["players"][index]
    return dict(zip(PLAYER_FIELDS, row, strict=True))


def field(game: AmongThem, name: str) -> Any:
    return game.session.describe()[name]
