"""Fancy cookout: salads need washing, chopping and a plate; the player who delivers is paid."""

import pytest

from bitworld.games.fancy_cookout import FancyCookout
from bitworld.games.fancy_cookout.world import KITCHEN, SIDE, Item
from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, DOWN, LEFT, RIGHT, UP

BESIDE = {(0, -1): UP, (0, 1): DOWN, (-1, 0): LEFT, (1, 0): RIGHT}


def kitchen(cooks: int = 1) -> FancyCookout:
    game = FancyCookout({"seed": 1, "maxTicks": 0})
    for number in range(cooks):
        game.join(f"c{number}")
    return game


def face(game: FancyCookout, cook: int, tile: str, number: int = 0) -> int:
    """Put a cook in front of a tile with this letter; return the place of the tile."""
    taken = {(other.x, other.y) for other in game.world.players}
    places = [(x, y) for y, row in enumerate(KITCHEN) for x, letter in enumerate(row) if letter == tile]
    x, y = places[number]
    for dx, dy in BESIDE:
        before = x - dx, y - dy
        if all(0 <= part < SIDE for part in before) and KITCHEN[before[1]][before[0]] == "." and before not in taken:
            state = game.world.players[cook]
            (state.x, state.y), (state.dx, state.dy), state.moving = before, (dx, dy), 0
            return y * SIDE + x
    raise AssertionError("no floor beside the tile")


def press(game: FancyCookout, mask: int, cook: int = 0, ticks: int = 1) -> None:
    for _ in range(ticks):
        game.step([mask if number == cook else 0 for number in range(len(game.seats))])
    game.step([0] * len(game.seats))


def use(game: FancyCookout, tile: str, cook: int = 0, number: int = 0) -> int:
    place = face(game, cook, tile, number)
    press(game, BUTTON_A, cook)
    return place


def prepared(game: FancyCookout, crate: str) -> None:
    """Let cook 0 hold an ingredient, washed and chopped."""
    use(game, crate)
    use(game, "S")
    press(game, BUTTON_B, ticks=28)
    press(game, BUTTON_A)
    use(game, "B")
    press(game, BUTTON_B, ticks=20)
    press(game, BUTTON_A)


def test_a_salad_from_crate_to_window_pays_three_points() -> None:
    game = kitchen()
    prepared(game, "L")
    use(game, "#", number=10)
    prepared(game, "T")
    use(game, "#", number=12)
    use(game, "P")
    use(game, "#", number=10)
    assert game.world.players[0].item is Item.LETTUCE_PLATE
    use(game, "#", number=12)
    assert game.world.players[0].item is Item.SALAD
    use(game, "D")
    account = game.accounts()[0]
    assert account.reward == 3 and account.counts == {"salads": 1, "washes": 2, "chops": 2}
    assert game.world.players[0].item is Item.NOTHING


def test_washing_takes_28_ticks_and_chopping_20() -> None:
    game = kitchen()
    use(game, "T")
    sink = use(game, "S")
    press(game, BUTTON_B, ticks=27)
    assert game.world.items[sink] is Item.TOMATO
    press(game, BUTTON_B)
    assert game.world.items[sink] is Item.WASHED_TOMATO
    press(game, BUTTON_A)
    board = use(game, "B")
    press(game, BUTTON_B, ticks=19)
    assert game.world.items[board] is Item.WASHED_TOMATO
    press(game, BUTTON_B)
    assert game.world.items[board] is Item.CHOPPED_TOMATO


def test_two_cooks_on_both_sides_of_a_sink_wash_twice_as_fast() -> None:
    game = kitchen(2)
    x, y = KITCHEN[8].index("S"), 8
    for cook, dy in zip(game.world.players, (1, -1), strict=True):
        cook.x, cook.y, cook.dx, cook.dy = x, y - dy, 0, dy
    game.world.items[y * SIDE + x] = Item.LETTUCE
    for _ in range(14):
        assert game.world.items[y * SIDE + x] is Item.LETTUCE
        game.step([BUTTON_B, BUTTON_B])
    assert game.world.items[y * SIDE + x] is Item.WASHED_LETTUCE


def test_the_player_that_delivers_is_paid_whoever_made_the_salad() -> None:
    game = kitchen(2)
    game.world.players[0].item = Item.SALAD
    use(game, "#", cook=0, number=10)
    face(game, 0, "X")
    use(game, "#", cook=1, number=10)
    assert game.world.players[1].item is Item.SALAD
    use(game, "D", cook=1)
    assert [account.reward for account in game.accounts()] == [0, 3]


@pytest.mark.parametrize("item", [item for item in Item if item is not Item.SALAD])
def test_only_a_salad_can_be_delivered(item: Item) -> None:
    game = kitchen()
    game.world.players[0].item = item
    use(game, "D")
    assert game.world.players[0].item is item and game.accounts()[0].reward == 0


def test_dirty_vegetables_cannot_be_chopped_or_plated() -> None:
    game = kitchen()
    use(game, "L")
    board = use(game, "B")
    press(game, BUTTON_B, ticks=40)
    assert game.world.items[board] is Item.LETTUCE
    game.world.players[0].item = Item.PLATE
    press(game, BUTTON_A)
    assert game.world.items[board] is Item.LETTUCE and game.world.players[0].item is Item.PLATE


def test_taking_an_item_away_loses_the_work_on_it() -> None:
    game = kitchen()
    use(game, "L")
    sink = use(game, "S")
    press(game, BUTTON_B, ticks=20)
    press(game, BUTTON_A)
    press(game, BUTTON_A)
    assert game.world.items[sink] is Item.LETTUCE and game.world.work[sink] == 0


def test_bins_and_crates_take_things_back() -> None:
    game = kitchen()
    for item, tile in ((Item.CHOPPED_TOMATO, "X"), (Item.LETTUCE, "L"), (Item.PLATE, "P")):
        game.world.players[0].item = item
        use(game, tile)
        assert game.world.players[0].item is Item.NOTHING


def test_cooks_stay_on_the_floor_and_apart() -> None:
    game = kitchen(16)
    for tick in range(300):
        game.step([(1 << (tick // 7 + number) % 4) | (0x20 if tick % 5 == number % 5 else 0) for number in range(16)])
        tiles = [(cook.x, cook.y) for cook in game.world.players]
        assert len(set(tiles)) == 16 and all(KITCHEN[y][x] == "." for x, y in tiles)
