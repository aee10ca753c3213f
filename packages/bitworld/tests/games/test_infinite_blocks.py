"""Infinite blocks: the native game equals the plain reference, and its rules are those of the name."""

import subprocess
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from bitworld._native import BlocksBatch
from hypothesis import given, settings
from hypothesis import strategies as st

from bitworld.games.infinite_blocks import InfiniteBlocks
from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, DOWN, LEFT, RIGHT, UP
from bitworld.picture import blank
from packages.bitworld.tests.games.infinite_blocks_reference import Reference
from tests.support import require_tool

MASKS = st.sampled_from([0, UP, DOWN, LEFT, RIGHT, BUTTON_A, BUTTON_B, BUTTON_B | LEFT, BUTTON_B | RIGHT, 255])
NARROW = {"fieldWidth": 10, "fieldHeight": 24, "seed": 3}
RANDOM_PLAY = [0, LEFT, RIGHT, BUTTON_A, BUTTON_B, DOWN, UP, BUTTON_B]


def both(config: dict) -> tuple[InfiniteBlocks, Reference]:
    game = InfiniteBlocks(config)
    return game, Reference(*game.settings.rules, game.settings.seed)


def assert_equal(game: InfiniteBlocks, reference: Reference) -> None:
    assert game.world.hash() == reference.hash()
    for player in range(len(game.seats)):
        picture = blank()
        game.draw(player, picture)
        assert np.array_equal(picture, reference.draw(player))


class Pair:
    """The native game and the reference with the same players and buttons."""

    def __init__(self, config: dict) -> None:
        self.game, self.reference = both(config)
        self.held: list[int] = []

    def join(self) -> None:
        player = self.game.join(f"p{self.game.tick}_{len(self.game.seats)}")
        self.reference.add_player(self.game.seats[player].slot)
        self.held.append(0)

    def leave(self, player: int) -> None:
        self.game.leave(player)
        del self.reference.players[player], self.held[player]

    def step(self, masks: list[int]) -> None:
        self.game.step(masks)
        if self.game.phase == "playing":
            self.reference.step(masks, [mask & ~held for mask, held in zip(masks, self.held, strict=True)])
        self.held = masks


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from([(8, 24), (10, 40), (40, 30)]),
    st.sampled_from([4, 8]),
    st.integers(1, 3),
    st.lists(st.tuples(st.lists(MASKS, min_size=4, max_size=4), st.integers(1, 6)), min_size=4, max_size=40),
)
def test_the_native_game_equals_the_reference(
    size: tuple[int, int], run: int, players: int, plays: list[tuple[list[int], int]]
) -> None:
    pair = Pair({"fieldWidth": size[0], "fieldHeight": size[1], "fallTicks": 2, "runLength": run, "seed": players})
    for _ in range(players):
        pair.join()
    for masks, ticks in plays:
        for _ in range(ticks):
            pair.step(masks[: len(pair.held)])
            assert pair.game.world.hash() == pair.reference.hash()
        assert_equal(pair.game, pair.reference)


def test_a_long_game_with_joins_and_leaves_equals_the_reference() -> None:
    pair = Pair({"fieldWidth": 24, "fieldHeight": 30, "fallTicks": 3, "seed": 8})
    draw = np.random.default_rng(1)
    pair.join()
    for tick in range(900):
        if tick % 120 == 60:
            pair.join()
        if tick % 250 == 240:
            pair.leave(0)
        pair.step([int(draw.choice(RANDOM_PLAY)) for _ in pair.held])
        if tick % 10 == 0:
            assert_equal(pair.game, pair.reference)
    total = sum(account.reward for account in pair.game.accounts())
    assert total > 0, "no run was completed, so that clearing was not compared"
    assert sum(account.counts["buried"] for account in pair.game.accounts()) > 0


def place(game: InfiniteBlocks, column: int, turns: int = 0) -> None:
    """Drop the piece of player 0 with the left edge of its box in a column."""
    while game.world.player_words()[0][11]:
        game.step([0])
    for _ in range(turns):
        game.step([BUTTON_A])
        game.step([0])
    while (x := game.world.player_words()[0][8]) != column:
        game.step([LEFT if x > column else RIGHT])
        game.step([0])
    game.step([BUTTON_B])


def game_with_first_pieces(*kinds: int) -> InfiniteBlocks:
    """Return a game of one player whose first pieces are these."""
    for seed in range(1, 100_000):
        game = InfiniteBlocks({"seed": seed, "fieldWidth": 20, "fieldHeight": 24})
        reference = Reference(20, 24, 8, 8, seed)
        if [reference.random.below_or_equal(6) for _ in kinds] == list(kinds):
            game.join("ann")
            return game
    raise AssertionError("no such seed")


def test_eight_cells_in_a_row_clear_and_score() -> None:
    game = game_with_first_pieces(0, 0)
    place(game, 0)
    assert game.accounts()[0].reward == 0
    place(game, 4)
    assert game.accounts()[0].reward == 8
    assert game.accounts()[0].counts == {"runs": 1, "pieces": 2, "buried": 0}
    assert game.world.highest_row() == 24


def test_seven_cells_stay() -> None:
    game = game_with_first_pieces(0, 2)
    place(game, 0)
    place(game, 4)
    assert game.accounts()[0].reward == 0
    assert game.world.area(0, 23, 8, 1) == bytes([1, 1, 1, 1, 3, 3, 3, 0])


def test_cells_above_a_cleared_run_move_down() -> None:
    game = game_with_first_pieces(0, 2, 2, 0)
    place(game, 0)
    place(game, 4)
    place(game, 7)
    assert game.accounts()[0].reward == 10, "4 + 3 + 3 cells"
    assert game.world.area(0, 23, 10, 1) == bytes([0, 0, 0, 0, 0, 3, 0, 0, 3, 0])


def test_the_player_whose_piece_completes_a_run_scores_it_all() -> None:
    game = InfiniteBlocks({"seed": 1, "fieldWidth": 24, "fieldHeight": 24, "minPlayers": 2})
    game.join("ann")
    game.join("bob")
    draw = np.random.default_rng(2)
    for _ in range(4000):
        before = [words[3] for words in game.world.player_words()], [account.reward for account in game.accounts()]
        game.step([int(draw.choice(RANDOM_PLAY)) for _ in range(2)])
        for player, (pieces, reward) in enumerate(zip(*before, strict=True)):
            if game.accounts()[player].reward != reward:
                assert game.world.player_words()[player][3] == pieces + 1
                return
    raise AssertionError("no run was completed")


def test_a_full_field_buries_the_player_and_makes_room() -> None:
    game = InfiniteBlocks(NARROW)
    game.join("ann")
    for tick in range(800):
        game.step([BUTTON_B if tick % 2 else 0])
        if game.accounts()[0].counts["buried"]:
            break
    assert game.accounts()[0].counts["buried"] == 1
    assert game.world.area(3, 0, 4, 24) == bytes(4 * 24)


def test_a_batch_plays_the_same_games_on_any_number_of_threads() -> None:
    worlds, players = 5, 2
    games = [InfiniteBlocks({**NARROW, "seed": seed + 1, "minPlayers": players}) for seed in range(worlds)]
    for game in games:
        for player in range(players):
            game.join(f"p{player}")
        game.step([0] * players)
    batches = [BlocksBatch(worlds, players, threads, 10, 24, 8, 8) for threads in (1, 3)]
    rewards = np.zeros((2, worlds, players), np.float32)
    totals = np.zeros((worlds, players))
    pictures = np.zeros((2, worlds, players, 128, 128), np.uint8)
    draw = np.random.default_rng(4)
    for tick in range(300):
        masks = draw.choice(RANDOM_PLAY, (worlds, players)).astype(np.uint8)
        for number, batch in enumerate(batches):
            batch.step(masks, rewards[number])
        totals += rewards[0]
        for world, game in enumerate(games):
            game.step(masks[world].tolist())
            assert game.world.hash() == batches[0].hash(world) == batches[1].hash(world)
        assert np.array_equal(rewards[0], rewards[1])
        if tick % 60 == 0:
            for number, batch in enumerate(batches):
                batch.draw(pictures[number])
            assert np.array_equal(pictures[0], pictures[1])
            expected = blank()
            games[3].draw(1, expected)
            assert np.array_equal(pictures[0, 3, 1], expected)
    assert totals.tolist() == [[account.reward for account in game.accounts()] for game in games]


def test_two_threads_cannot_use_one_batch_at_once() -> None:
    batch = BlocksBatch(64, 4, 1, 100, 100, 8, 8)
    errors: list[str] = []

    def work() -> None:
        masks, rewards = np.full((64, 4), BUTTON_B, np.uint8), np.zeros((64, 4), np.float32)
        pictures = np.zeros((64, 4, 128, 128), np.uint8)
        for _ in range(20):
            try:
                batch.step(masks, rewards)
                batch.draw(pictures)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(errors) <= {"another thread is using this batch"}


def test_a_tick_of_a_batch_allocates_nothing(tmp_path: Path) -> None:
    """Compile a program that counts its allocations while it plays and draws games over two threads."""
    here = Path(__file__)
    program = tmp_path / "ticks"
    include = f"-I{here.parents[2] / 'native'}"
    command = [require_tool("c++"), "-std=c++20", "-O1", "-pthread", include, str(here.with_name("blocks_ticks.cpp"))]
    subprocess.run([*command, "-o", str(program)], check=True)
    result = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert result[:2] == ["allocations", "0"]
    assert result[2] == "points" and int(result[3]) > 0


def test_a_batch_starts_one_world_again() -> None:
    batch, other = BlocksBatch(2, 1, 1, 10, 24, 8, 8), BlocksBatch(2, 1, 1, 10, 24, 8, 8)
    rewards = np.zeros((2, 1), np.float32)
    for _ in range(40):
        batch.step(np.full((2, 1), BUTTON_B, np.uint8), rewards)
        batch.step(np.zeros((2, 1), np.uint8), rewards)
    batch.start(1, 2)
    assert batch.hash(1) == other.hash(1) and batch.hash(0) != other.hash(0)


@pytest.mark.parametrize(
    ("masks", "rewards"), [((2, 2), (2, 1)), ((3, 1), (2, 1)), ((2, 1), (1, 1))], ids=["players", "worlds", "rewards"]
)
def test_arrays_of_a_wrong_shape_are_refused(masks: tuple[int, int], rewards: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="a row for each world and a column for each player"):
        BlocksBatch(2, 1, 1, 10, 24, 8, 8).step(np.zeros(masks, np.uint8), np.zeros(rewards, np.float32))


def test_saved_worlds_of_another_size_are_refused() -> None:
    small, large = InfiniteBlocks(NARROW), InfiniteBlocks({**NARROW, "fieldWidth": 11})
    small.join("ann")
    for _ in range(10):
        small.step([BUTTON_B])
        small.step([0])
    assert small.world.highest_row() < 24
    with pytest.raises(ValueError, match="does not fit this world"):
        large.world.load(small.world.save())
