"""Stag hunt: alone a hunter catches rabbits; larger beasts need hunters that strike together."""

import pytest

from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, DOWN, LEFT, RIGHT, UP
from bitworld.games.stag_hunt import StagHunt
from bitworld.games.stag_hunt.rules import STRIKE_TICKS
from bitworld.games.stag_hunt.world import BEASTS, Beast, trees
from bitworld.picture import blank

KINDS = {kind.name: number for number, kind in enumerate(BEASTS)}
AROUND = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]


def hunt(kind: str, hunters: int) -> StagHunt:
    """Return a game with one beast and hunters around it."""
    game = StagHunt({"seed": 1, "minPlayers": 1, "maxTicks": 0})
    wood = trees(game.world.map_seed)
    x, y = next(
        (x, y)
        for y in range(2, 30)
        for x in range(2, 30)
        if not wood & {(x + dx, y + dy) for dx in range(-2, 3) for dy in range(-2, 3)}
    )
    game.world.beasts = [Beast(number=1000, kind=KINDS[kind], x=x, y=y, wait=100)]
    for number in range(hunters):
        game.join(f"h{number}")
        hunter = game.world.players[number]
        hunter.x, hunter.y = x + AROUND[number][0], y + AROUND[number][1]
    return game


def strike(game: StagHunt, *hunters: int) -> None:
    game.step([BUTTON_A if number in hunters else 0 for number in range(len(game.seats))])


def test_the_published_points_energy_and_cost() -> None:
    assert [(kind.name, kind.points) for kind in BEASTS] == [
        ("rabbit", 1), ("boar", 3), ("stag", 5), ("moose", 10), ("mammoth", 18),
    ]  # fmt: skip
    game = hunt("rabbit", 1)
    assert game.world.players[0].energy == 200
    game.step([LEFT])
    assert game.world.players[0].energy == 198


@pytest.mark.parametrize("kind", KINDS)
def test_a_beast_needs_its_number_of_hunters(kind: str) -> None:
    needed = BEASTS[KINDS[kind]].hunters
    game = hunt(kind, needed)
    strike(game, *range(needed - 1))
    assert not any(account.reward for account in game.accounts())
    strike(game, needed - 1)
    assert sum(account.reward for account in game.accounts()) == BEASTS[KINDS[kind]].points
    assert game.world.beasts == []


def test_larger_beasts_pay_more_for_each_hunter() -> None:
    shares = [kind.points / kind.hunters for kind in BEASTS]
    assert shares == sorted(shares) and len(set(shares)) == len(shares)


def test_the_last_striker_takes_the_remainder() -> None:
    game = hunt("boar", 2)
    strike(game, 1)
    strike(game, 0)
    assert [(account.reward, account.counts) for account in game.accounts()] == [
        (2, {"rabbits": 0, "beasts": 1}), (1, {"rabbits": 0, "beasts": 1}),
    ]  # fmt: skip


def test_a_hunter_that_does_not_strike_gets_no_share() -> None:
    game = hunt("boar", 3)
    strike(game, 0, 2)
    assert [account.reward for account in game.accounts()] == [2, 0, 1]


def test_a_beast_kicks_a_hunter_that_strikes_without_help() -> None:
    game = hunt("stag", 1)
    game.world.players[0].energy = 100
    for _ in range(STRIKE_TICKS):
        strike(game, 0)
        beast = game.world.beasts[0]
        assert max(abs(beast.x - game.world.players[0].x), abs(beast.y - game.world.players[0].y)) == 1, "at bay"
    assert game.world.players[0].energy == 100 - 20 + STRIKE_TICKS // 4


def test_strikes_half_a_second_apart_do_not_count_together() -> None:
    game = hunt("boar", 2)
    strike(game, 0)
    for _ in range(STRIKE_TICKS - 1):
        strike(game)
    strike(game, 1)
    assert len(game.world.beasts) == 1


def test_a_hunter_without_energy_rests_before_it_moves() -> None:
    game = hunt("mammoth", 1)
    hunter = game.world.players[0]
    hunter.energy, before = 1, (hunter.x, hunter.y)
    for _ in range(3):
        game.step([LEFT])
    assert (hunter.x, hunter.y) == before
    for _ in range(8):
        game.step([LEFT])
    assert (hunter.x, hunter.y) != before


def test_bodies_never_share_a_tile_and_stay_on_the_map() -> None:
    game = StagHunt({"seed": 4})
    for number in range(16):
        game.join(f"h{number}")
    masks = [UP, DOWN, LEFT, RIGHT, UP | LEFT, DOWN | RIGHT, BUTTON_A | LEFT, BUTTON_B | UP]
    for tick in range(120):
        game.step([masks[(number + tick // 9) % len(masks)] for number in range(16)])
        bodies = [(body.x, body.y) for body in (*game.world.players, *game.world.beasts)]
        assert len(set(bodies)) == len(bodies)
        assert not set(bodies) & trees(game.world.map_seed)
        assert all(0 <= part < 32 for body in bodies for part in body)


def test_beasts_that_were_eaten_are_born_again() -> None:
    game = StagHunt({"seed": 4, "maxTicks": 0})
    game.join("ann")
    game.world.beasts = []
    for _ in range(24 * 40):
        game.step([0])
    assert len(game.world.beasts) == sum(kind.population for kind in BEASTS)


def test_a_whistle_shows_on_the_screens_of_others() -> None:
    game = hunt("mammoth", 2)
    quiet, loud = blank(), blank()
    game.step([0, 0])
    game.draw(0, quiet)
    game.step([0, BUTTON_B])
    game.draw(0, loud)
    assert (quiet != loud).any()
