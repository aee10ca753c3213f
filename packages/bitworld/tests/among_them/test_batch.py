"""Batches: the same games as alone, on any number of threads, into the caller's arrays."""

import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bitworld.errors import BadConfig
from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.batch import CREWMATES_WON, DRAW, RUNNING, Batch
from bitworld.picture import blank, pack
from tests.support import require_tool

QUICK = {"killCooldownTicks": 20, "maxTicks": 90, "voteTimerTicks": 30, "killRange": 60, "reportRange": 40}
BUTTONS = np.array([0, 1, 2, 4, 8, 5, 10, 32, 33, 40, 64], np.uint8)


def masks(steps: int, games: int, players: int) -> NDArray[np.uint8]:
    """Return random buttons that are held for eight steps."""
    drawn = np.random.default_rng(3).choice(BUTTONS, (steps // 8 + 1, games, players))
    return np.repeat(drawn, 8, axis=0)[:steps]


def play(batch: Batch, steps: int) -> dict[str, NDArray[Any]]:
    """Return everything that the batch writes, for every step."""
    seen: dict[str, list[NDArray[Any]]] = {"rewards": [], "dones": [], "outcomes": [], "hashes": [], "packed": []}
    for held in masks(steps, batch.games, batch.players):
        batch.masks[:] = held
        batch.step()
        for name, values in seen.items():
            values.append(getattr(batch, name).copy())
    return {name: np.array(values) for name, values in seen.items()}


def test_the_number_of_threads_changes_nothing() -> None:
    alone = play(Batch(5, 6, QUICK, threads=1, pictures="packed", hashes=True), 250)
    for threads in (2, 5):
        shared = play(Batch(5, 6, QUICK, threads=threads, pictures="packed", hashes=True), 250)
        for name, values in alone.items():
            assert (values == shared[name]).all(), name
    assert alone["dones"].sum() >= 5 and alone["rewards"].sum() > 0


def test_a_game_of_a_batch_is_the_same_alone() -> None:
    batch = Batch(3, 5, {**QUICK, "seed": 40}, pictures="pixels", hashes=True)
    assert batch.hashes is not None and batch.pixels is not None
    games = [AmongThem(batch.config | {"seed": 40 + i}) for i in range(3)]
    for game in games:
        for player in range(5):
            game.join(f"player_{player}")
        game.step([])
    running = [True] * 3
    for step, held in enumerate(masks(100, 3, 5)):
        batch.masks[:] = held
        batch.step()
        for i, game in enumerate(games):
            if not running[i]:
                continue
            before = [account.reward for account in game.accounts()]
            game.step(held[i].tolist())
            assert game.state_hash() == batch.hashes[i]
            earned = [account.reward - then for account, then in zip(game.accounts(), before, strict=True)]
            assert batch.rewards[i].tolist() == earned
            assert batch.dones[i] == (game.phase == "game_over")
            if step % 20 == 0:
                for player in range(5):
                    picture = blank()
                    game.draw(player, picture)
                    assert (picture == batch.pixels[i, player]).all()
            running[i] = not batch.dones[i]
    assert not any(running)


def test_packed_pictures_are_those_of_the_wire() -> None:
    plain, packed = Batch(2, 3, QUICK), Batch(2, 3, QUICK, pictures="packed")
    assert plain.pixels is not None and packed.packed is not None and packed.pixels is None
    assert [pack(picture) for row in plain.pixels for picture in row] == [
        row.tobytes() for row in packed.packed.reshape(6, -1)
    ]


def test_an_ended_game_begins_the_next_episode() -> None:
    batch = Batch(2, 5, {"maxTicks": 3, "seed": 10}, pictures="none")
    ends = []
    for _ in range(9):
        batch.step()
        ends.append((batch.dones.tolist(), batch.outcomes.tolist(), batch.seed_of(0), batch.seed_of(1)))
    running, draw = ([False, False], [RUNNING, RUNNING]), ([True, True], [DRAW, DRAW])
    assert ends == [
        *[(*running, 10, 11)] * 2, (*draw, 10, 11),
        *[(*running, 12, 13)] * 2, (*draw, 12, 13),
        *[(*running, 14, 15)] * 2, (*draw, 14, 15),
    ]  # fmt: skip


def test_a_reset_repeats_the_first_episode() -> None:
    batch = Batch(3, 5, QUICK, pictures="packed", hashes=True)
    first = play(batch, 40)
    batch.reset()
    again = play(batch, 40)
    assert all((first[name] == again[name]).all() for name in first)
    batch.reset(seed=77)
    assert (play(batch, 40)["hashes"] != first["hashes"]).all()


def test_one_game_starts_without_the_others() -> None:
    batch, other = Batch(3, 5, QUICK, hashes=True), Batch(1, 5, {**QUICK, "seed": 9}, hashes=True)
    assert batch.hashes is not None and other.hashes is not None
    assert batch.pixels is not None and other.pixels is not None
    before = batch.hashes.copy()
    batch.start(1, seed=9)
    assert batch.hashes[1] == other.hashes[0] and (batch.pixels[1] == other.pixels[0]).all()
    assert batch.hashes[[0, 2]].tolist() == before[[0, 2]].tolist()


def test_drawing_may_wait() -> None:
    eager, lazy = Batch(2, 4, QUICK), Batch(2, 4, QUICK)
    assert eager.pixels is not None and lazy.pixels is not None
    first = lazy.pixels.copy()
    for held in masks(20, 2, 4):
        eager.masks[:] = lazy.masks[:] = held
        eager.step()
        lazy.step(draw=False)
    assert (lazy.pixels == first).all() and (eager.pixels != first).any()
    lazy.draw()
    assert (lazy.pixels == eager.pixels).all()


def test_a_lone_crewmate_without_tasks_wins_at_once() -> None:
    batch = Batch(1, 1, {"tasksPerPlayer": 0}, pictures="none")
    batch.step()
    assert batch.outcomes.tolist() == [CREWMATES_WON] and batch.rewards.tolist() == [[100.0]]


def test_a_game_of_a_batch_can_be_saved_and_restored() -> None:
    batch = Batch(2, 5, QUICK, pictures="packed", hashes=True)
    assert batch.hashes is not None and batch.packed is not None
    play(batch, 30)
    saved = batch.snapshot(1)
    batch.restore(0, saved)
    assert batch.hashes[0] == batch.hashes[1] and (batch.packed[0] == batch.packed[1]).all()
    game = AmongThem(batch.config)
    game.restore(saved)
    assert game.state_hash() == batch.hashes[1]
    assert [seat.name for seat in game.seats] == [f"player_{i}" for i in range(5)]
    game.leave(2)
    with pytest.raises(ValueError, match="other players"):
        batch.restore(0, game.snapshot())
    with pytest.raises(ValueError, match="not a snapshot"):
        batch.restore(0, saved[:-1])
    with pytest.raises(IndexError, match="no game 2"):
        batch.snapshot(2)


def test_the_arrays_may_be_the_callers() -> None:
    rewards = np.zeros((2, 4), np.float32)
    batch = Batch(2, 4, QUICK, arrays={"rewards": rewards})
    assert batch.rewards is rewards
    wrong: list[tuple[str, NDArray[Any]]] = [
        ("rewards", np.zeros((2, 5), np.float32)),
        ("rewards", np.zeros((2, 4), np.float64)),
        ("rewards", np.zeros((2, 8), np.float32)[:, ::2]),
        ("colours", np.zeros(3)),
    ]
    for name, array in wrong:
        with pytest.raises(ValueError, match=name):
            Batch(2, 4, QUICK, arrays={name: array})


def test_wrong_sizes_are_refused() -> None:
    for games, players, threads in ((0, 4, 1), (1, 4, 0)):
        with pytest.raises(ValueError, match="between 1 and"):
            Batch(games, players, threads=threads)
    for players in (0, 17):
        with pytest.raises(BadConfig, match="1 to 16 players"):
            Batch(1, players)


def test_two_threads_cannot_step_a_batch_at_once() -> None:
    batch = Batch(8, 16, QUICK)
    errors: list[str] = []

    def steps() -> None:
        for _ in range(20):
            try:
                batch.step()
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=steps) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(errors) <= {"another thread is stepping this batch"}


def test_a_tick_allocates_nothing(tmp_path: Path) -> None:
    """Compile a program that counts its allocations while it plays and draws games over two threads."""
    here = Path(__file__)
    program = tmp_path / "ticks"
    include = f"-I{here.parents[2] / 'native'}"
    command = [require_tool("c++"), "-std=c++20", "-O1", "-pthread", include, str(here.with_name("ticks.cpp"))]
    subprocess.run([*command, "-o", str(program)], check=True)
    result = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert result[0] == "allocations" and int(result[1]) == 0
    assert result[2] == "episodes" and int(result[3]) >= 10
