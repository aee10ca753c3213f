"""The rules of Paint Arena: recorded games, and what holds for every game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworld.examples.paintarena.rules import EMPTY, MOVES, Arena, Config, ConfigError, start, sweep_move

moves = st.sampled_from([*MOVES, "jump", ""])
boards = st.tuples(st.integers(4, 40), st.integers(4, 40))


def sweep_everywhere(arena: Arena) -> None:
    size = (arena.config.width, arena.config.height)
    while not arena.over:
        arena.step([sweep_move(slot, x, y, *size) for slot, (x, y) in enumerate(arena.positions)])


def test_two_sweepers_paint_twenty_tiles_each_in_twenty_ticks() -> None:
    arena = Arena(Config(width=12, height=8, max_ticks=20))
    sweep_everywhere(arena)
    assert arena.scores == [20, 20]


def test_the_higher_slot_owns_a_tile_two_players_share() -> None:
    arena = Arena(Config(width=6, height=6, max_ticks=5))
    while not arena.over:
        arena.step(["right", "up"])
    assert arena.positions == [(5, 0), (5, 0)]
    assert arena.scores == [4, 5]


def test_players_that_never_move_own_their_corner() -> None:
    arena = Arena(Config(max_ticks=3))
    assert arena.scores == [0, 0], "the start tile is not painted before the first tick"
    while not arena.over:
        arena.step(["stay", "stay"])
    assert arena.scores == [1, 1]


def test_the_four_corners_are_taken_in_turn() -> None:
    assert [start(slot, 12, 8) for slot in range(5)] == [(0, 0), (11, 7), (0, 7), (11, 0), (0, 0)]


def test_a_taken_tile_changes_hands_and_is_reported() -> None:
    arena = Arena(Config(width=4, height=4, max_ticks=20))
    for _ in range(3):
        arena.step(["right", "stay"])
    arena.step(["stay", "up"])
    arena.step(["stay", "up"])
    assert arena.step(["stay", "up"]) == [(1, 3, 0)]
    assert arena.scores == [2, 4]


@given(boards, st.lists(st.tuples(moves, moves, moves, moves), max_size=60), st.integers(1, 4))
def test_any_game_keeps_everybody_on_the_board_and_the_scores_equal_to_the_tiles(
    board: tuple[int, int], played: list[tuple[str, ...]], players: int
) -> None:
    width, height = board
    arena = Arena(Config(width=width, height=height, max_ticks=10_000), players=players)
    for tick, chosen in enumerate(played, 1):
        before = list(arena.positions)
        arena.step(chosen[:players])
        assert arena.tick == tick
        assert all(0 <= x < width and 0 <= y < height for x, y in arena.positions)
        assert all(abs(x - a) + abs(y - b) <= 1 for (x, y), (a, b) in zip(arena.positions, before, strict=True))
        assert arena.scores == [arena.owners.count(slot) for slot in range(players)]
        assert sum(arena.scores) + arena.owners.count(EMPTY) == width * height
        highest = max(range(players), key=lambda slot: (arena.positions[slot] == arena.positions[0], slot))
        assert arena.owners[arena.positions[0][1] * width + arena.positions[0][0]] == highest


@given(boards, st.integers(0, 3))
def test_a_sweeper_alone_paints_the_whole_board(board: tuple[int, int], slot: int) -> None:
    width, height = board
    x, y = start(slot % 2, width, height)
    seen = {(x, y)}
    for _ in range(width * height):
        across, down = MOVES[sweep_move(slot % 2, x, y, width, height)]
        x, y = x + across, y + down
        seen.add((x, y))
    assert len(seen) >= width * height - width, "at most the row the player turned away from is missing"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"width": 3}, "`width` must be a whole number from 4 to 40, not 3"),
        ({"height": 41}, "`height`"),
        ({"max_ticks": 0}, "`max_ticks`"),
        ({"max_ticks": True}, "`max_ticks`"),
        ({"tick_rate": 0}, "`tick_rate` must be a number above 0 and at most 60, not 0"),
        ({"tick_rate": float("nan")}, "`tick_rate`"),
        ({"tick_rate": 61}, "`tick_rate`"),
        ({"player_connect_timeout_seconds": -1}, "`player_connect_timeout_seconds` must be a number 0 or more"),
        ({"players": "two"}, "`players`"),
        ({"players": [{"name": 3}]}, "`players[].name`"),
    ],
)
def test_a_configuration_out_of_range_is_refused_by_name(change: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Config.read({"tokens": ["a", "b"], **change})
    assert says in str(refused.value)


def test_defaults_and_whole_numbers_written_as_floats_are_read() -> None:
    config = Config.read({"tokens": ["a", "b"], "width": 12.0})
    assert (config.width, config.height, config.max_ticks, config.tick_rate) == (12, 8, 100, 5.0)
    assert config.player_names == ("Player 1", "Player 2")
