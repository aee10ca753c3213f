"""Look-ahead planning: the same policy with and without trying its moves on copies of the world first.

A miner walks at random through a room of ore and brings what it digs to a chest, which pays. With look-ahead it plays
every first move out a few times on a copy of the world, with the same random walk, and takes the one that paid best on
average.

usage: look_ahead.py [EPISODES]
"""

import sys

import numpy as np

from mettagrid.config.filter import HandlerTarget
from mettagrid.config.game_value import stat
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, GridObjectConfig, InventoryConfig, WallConfig
from mettagrid.config.mutation import ResourceTransferMutation
from mettagrid.config.reward_config import reward
from mettagrid.mettagrid_c import MettaGrid

ROOM = """
#########
#o.....o#
#..#.#..#
#...@...#
#..#.#..#
#o..C..o#
#########
"""
CELLS = {"#": "wall", ".": "empty", "@": "agent.agent", "o": "rock", "C": "chest"}
STEPS = 100
HORIZON = 20  # steps of a try
TRIES = 12  # for each first move


def game() -> GameConfig:
    def moves(source: HandlerTarget, to: HandlerTarget) -> Handler:
        return Handler(mutations=[ResourceTransferMutation(from_target=source, to_target=to, resources={"ore": 1})])

    actor, target = HandlerTarget.ACTOR, HandlerTarget.TARGET
    return GameConfig(
        num_agents=1,
        max_steps=STEPS,
        resource_names=["ore"],
        objects={
            "wall": WallConfig(),
            "rock": GridObjectConfig(
                name="rock", on_use_handler=moves(target, actor), inventory=InventoryConfig(initial={"ore": 100})
            ),
            "chest": GridObjectConfig(name="chest", on_use_handler=moves(actor, target)),
        },
        agents=[AgentConfig(rewards={"delivered": reward(stat("ore.deposited"))})],
    )


def random_walk(engine: MettaGrid, rng: np.random.Generator) -> None:
    """Return a random action: the first is noop, the others are moves."""
    engine.actions()[0] = rng.integers(5)


def best_first_move(engine: MettaGrid, branch: MettaGrid, rng: np.random.Generator) -> int:
    """Return the first move with the highest reward in a few simulations on a copy of the world."""
    earned = np.zeros(5)
    for first in range(5):
        for _ in range(TRIES):
            branch.copy_from(engine)
            branch.actions()[0] = first
            branch.step()
            for age in range(HORIZON):
                earned[first] += branch.rewards()[0] * 0.95**age
                random_walk(branch, rng)
                branch.step()
    return int(earned.argmax())


def play(seed: int, *, look_ahead: bool) -> float:
    """Play one episode and return its reward."""
    rng = np.random.default_rng(seed)
    engine = MettaGrid(game(), [[CELLS[cell] for cell in row] for row in ROOM.split()], seed)
    branch = engine.clone()
    while not engine.terminals().all():
        if look_ahead:
            engine.actions()[0] = best_first_move(engine, branch, rng)
        else:
            random_walk(engine, rng)
        engine.step()
    return float(engine.get_episode_rewards()[0])


def main() -> None:
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    plain = [play(seed, look_ahead=False) for seed in range(episodes)]
    planned = [play(seed, look_ahead=True) for seed in range(episodes)]
    print(f"ore delivered in {STEPS} steps, mean of {episodes} episodes")
    print(f"random walk                 {np.mean(plain):6.1f}")
    print(f"random walk with look-ahead {np.mean(planned):6.1f}")


if __name__ == "__main__":
    main()
