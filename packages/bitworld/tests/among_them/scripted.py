"""A game in which everything happens, for tests of what it looks like."""

from collections.abc import Iterator

import numpy as np

from bitworld.games.among_them import AmongThem

A, B = 0x20, 0x40
CHAT = (
    "I saw red near the generator!",
    "where?",
    "It was not me, I watered the plants all the time",
    "~!@#$%^&*()_+{}|",
)


def play_with_everything(every: int = 37) -> Iterator[AmongThem]:
    """Play with fixed random buttons; yield the game at some ticks of every phase, until a game is over."""
    config = {
        "seed": 11,
        "minPlayers": 10,
        "startWaitTicks": 30,
        "roleRevealTicks": 20,
        "killCooldownTicks": 40,
        "killRange": 60,
        "voteTimerTicks": 120,
        "voteResultTicks": 20,
        "messageCooldownTicks": 10,
        "gameOverTicks": 30,
        "taskCompleteTicks": 24,
        "maxTicks": 1500,
    }
    game = AmongThem(config)
    rng = np.random.default_rng(2)
    held = np.zeros(10, np.int64)
    last_phase = ""
    for tick in range(2500):
        if len(game.seats) < 10 and tick % 4 == 0:
            game.join(f"player{len(game.seats)}")
        if tick % 12 == 0:
            held = rng.choice([0, 0, 1, 2, 4, 8, 5, 6, 9, 10], 10)
        if game.phase == "voting":
            for player in range(10):
                game.chat(player, CHAT[(tick + player) % 4])
            # Players move their cursors, then vote one after the other.
            masks = [A if tick % 40 == 2 * player else 8 if tick % 3 == 0 else 0 for player in range(10)]
        else:
            masks = [int(buttons) | (A if tick // 30 % 3 == 0 else 0) for buttons in held]
        game.step(masks[: len(game.seats)])
        if game.phase != last_phase or tick % every == 0:
            yield game
        last_phase = game.phase
        if game.phase == "game_over":
            return
    raise AssertionError("the game never ended")
