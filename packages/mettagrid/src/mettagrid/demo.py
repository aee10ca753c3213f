"""Play one episode of a small built-in game with random actions and print the results: `python -m mettagrid.demo`.

Agents that bump into a deposit dig up one ore (a deposit holds five, an agent carries three); bumping into a chest puts
the ore there, and every ore in a chest is worth a reward of 1 to the one who brought it.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence

from mettagrid.config.game_value import stat
from mettagrid.config.handler_config import Handler, actorHas, deposit, isNot, targetHas, withdraw
from mettagrid.config.mettagrid_config import (
    GridObjectConfig,
    InventoryConfig,
    MettaGridConfig,
    ResourceLimitsConfig,
)
from mettagrid.config.mutation.stats_mutation import logActorAgentStat
from mettagrid.config.reward_config import reward
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.simulator import Simulation

ORE_PER_DEPOSIT = 5
MAX_CARRIED = 3
SECONDS_PER_FRAME = 0.05
PLAIN = {"empty": ".", "wall": "#", "deposit": "o", "chest": "C"}
WIDE = {"empty": "· ", "wall": "⬜", "deposit": "🪨", "chest": "📦"}
WIDE_AGENTS = "🟦🟧🟩🟨🟥🟪🟫"


def demo_config(*, agents: int, width: int, height: int, steps: int, seed: int) -> MettaGridConfig:
    """Return a walled room with deposits to dig in and chests to fill; the map depends only on the seed."""
    room = max(0, width - 2) * max(0, height - 2)
    objects = {"deposit": max(1, room // 12), "chest": max(1, room // 30), "wall": room // 16}
    needed = agents + sum(objects.values())
    if needed > room:
        raise ValueError(f"{agents} agents and {needed - agents} objects do not fit in a {width}x{height} room")
    config = MettaGridConfig.EmptyRoom(num_agents=agents, width=width, height=height, with_walls=True)
    game = config.game
    game.map_builder = RandomMapBuilder.Config(
        agents=agents, width=width, height=height, border_width=1, objects=objects, seed=seed
    )
    game.max_steps = steps
    game.resource_names = ["ore"]
    game.objects["deposit"] = GridObjectConfig(
        name="deposit",
        inventory=InventoryConfig(initial={"ore": ORE_PER_DEPOSIT}),
        on_use_handler=Handler(
            filters=[targetHas({"ore": 1}), isNot(actorHas({"ore": MAX_CARRIED}))],
            mutations=[withdraw({"ore": 1}), logActorAgentStat("ore.dug")],
        ),
    )
    game.objects["chest"] = GridObjectConfig(
        name="chest",
        on_use_handler=Handler(
            filters=[actorHas({"ore": 1})], mutations=[deposit({"ore": 1}), logActorAgentStat("ore.delivered")]
        ),
    )
    game.agent.inventory = InventoryConfig(limits={"ore": ResourceLimitsConfig(base=MAX_CARRIED, resources=["ore"])})
    game.agent.rewards = {"delivered": reward(stat("ore.delivered"))}
    game.actions.change_vibe.enabled = False
    return config


def draw(sim: Simulation, *, wide: bool) -> str:
    """Return the map as text: one character per cell, or one emoji."""
    symbols = WIDE if wide else PLAIN
    rows = [[symbols["empty"]] * sim.map_width for _ in range(sim.map_height)]
    for item in sim.grid_objects().values():
        if "agent_id" in item:
            index = item["agent_id"]
            symbol = WIDE_AGENTS[index % len(WIDE_AGENTS)] if wide else str(index % 10)
        else:
            symbol = symbols[item["type_name"]]
        rows[item["r"]][item["c"]] = symbol
    return "\n".join("".join(row) for row in rows)


def play(sim: Simulation, *, seed: int, animate: bool) -> None:
    """Play random actions until the episode ends."""
    choice = random.Random(seed)
    names = [name for name in sim.action_names if name != "noop"]
    if animate:
        print("\x1b[2J", end="")
    while not sim.is_done():
        for agent in sim.agents():
            agent.set_action(choice.choice(names))
        sim.step()
        if animate:
            total = sum(float(value) for value in sim.episode_rewards)
            print(f"\x1b[H{draw(sim, wide=True)}\nstep {sim.current_step}  reward {total:g} ", flush=True)
            time.sleep(SECONDS_PER_FRAME)


def report(sim: Simulation) -> str:
    """Return a table of the agents' actions, the totals, and the ore that is left."""
    ore = sim.resource_names.index("ore")
    objects = sim.grid_objects(ignore_types=["wall"]).values()
    carried = {item["agent_id"]: item["inventory"].get(ore, 0) for item in objects if "agent_id" in item}
    rows = []
    for agent, gained in enumerate(sim.episode_rewards):
        stats = sim.episode_stats["agent"][agent]
        dug, delivered = stats.get("ore.dug", 0), stats.get("ore.delivered", 0)
        moves = stats.get("action.move.success", 0) - dug - delivered  # using an object is a successful move action
        rows.append([float(gained), dug, delivered, carried[agent], moves, stats.get("action.move.failed", 0)])
    table = [
        ["agent", "reward", "ore dug", "delivered", "carried", "moves", "bumps"],
        *([str(agent), *(f"{value:g}" for value in row)] for agent, row in enumerate(rows)),
        ["total", *(f"{sum(column):g}" for column in zip(*rows, strict=True))],
    ]
    lines = ["  ".join(cell.rjust(len(head)) for cell, head in zip(line, table[0], strict=True)) for line in table]
    left = sum(item["inventory"].get(ore, 0) for item in objects if item["type_name"] == "deposit")
    return "\n".join([*lines, f"{sim.current_step} steps, {left} ore left in the ground"])


def parse_args(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line, `sys.argv` by default; wrong values exit with status 2."""
    return _parse(arguments)[0]


def _parse(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, argparse.ArgumentParser]:
    parser = argparse.ArgumentParser(
        prog="python -m mettagrid.demo", description="Play one episode with random actions and print the results."
    )
    default = "unicode" if sys.stdout.isatty() else "log"
    parser.add_argument(
        "--render",
        choices=["log", "unicode", "none"],
        default=default,
        help="log: first and last map; unicode: every step, in colour; none: only the table",
    )
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--width", type=int, default=10)
    parser.add_argument("--height", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="decides the map and the actions")
    options = parser.parse_args(arguments)
    for name in ("agents", "steps", "width", "height"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, got {getattr(options, name)}")
    return options, parser


def main(arguments: Sequence[str] | None = None) -> int:
    options, parser = _parse(arguments)
    try:
        config = demo_config(
            agents=options.agents, width=options.width, height=options.height, steps=options.steps, seed=options.seed
        )
    except ValueError as error:
        parser.error(str(error))
    sim = Simulation(config, seed=options.seed)
    animate = options.render == "unicode"
    if options.render == "log":
        print(f"step 0\n{draw(sim, wide=False)}\n")
    play(sim, seed=options.seed, animate=animate)
    if options.render == "log":
        print(f"step {sim.current_step}\n{draw(sim, wide=False)}\n")
        print("# wall  o deposit  C chest  0-9 agents\n")
    print(report(sim))
    return 0


if __name__ == "__main__":
    sys.exit(main())
