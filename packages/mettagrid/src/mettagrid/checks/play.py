"""Find problems of the first steps."""

import re
import warnings

import numpy as np

from mettagrid.checks.problems import Problem, ProblemKind
from mettagrid.compiler import CompileError, Program
from mettagrid.map_builder.utils import MapGrid


def check_play(program: Program, grid: MapGrid, seed: int, steps: int) -> list[Problem]:
    """Create a world and play a few steps with random moves."""
    rng = np.random.default_rng(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            world = program.world(grid.tolist(), seed)
            for _ in range(steps):
                world.actions()[:] = rng.integers(len(program.action_names), size=program.num_agents)
                world.step()
    except CompileError as error:
        return [Problem(ProblemKind.MAP, error.path or "game.map_builder", f"{error}", "Change the map.")]
    except RuntimeError as error:
        return [_runtime_problem(str(error), program.num_tokens)]
    return []


def _runtime_problem(text: str, budget: int) -> Problem:
    match = re.search(r"agent (\d+) at step (\d+) .*attempted=(\d+)", text)
    if text.startswith("Observation token budget exceeded") and match:
        agent, step, needed = match.groups()
        return Problem(
            ProblemKind.TOKENS,
            "game.obs.num_tokens",
            f"Agent {agent} sees {needed} tokens at step {step}; an observation has room for {budget}.",
            f"Raise num_tokens to {needed} or more, or make the window smaller.",
        )
    return Problem(ProblemKind.CRASH, "game", f"The first steps fail: {text.rstrip('.')}.", "Change the rules.")
