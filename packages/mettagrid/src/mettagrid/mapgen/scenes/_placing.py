"""Helpers of scenes that place objects and agents on chosen cells."""

import numpy as np


def agent_names(agents: int | dict[str, int]) -> list[str]:
    """Return the cell names of the agents: `agents` is a number, or numbers per kind (`{"red": 2}` for `agent.red`)."""
    counts = {"agent": agents} if isinstance(agents, int) else agents
    return [f"agent.{kind}" for kind, count in counts.items() for _ in range(count)]


def object_names(objects: dict[str, int]) -> list[str]:
    """Return each name `count` times."""
    return [name for name, count in objects.items() for _ in range(count)]


def shuffled_to_fit(objects: list[str], agents: list[str], places: int, rng: np.random.Generator) -> list[str]:
    """Return all agents and as many objects as fit, in random order; raises `ValueError` if agents do not fit."""
    if len(agents) > places:
        raise ValueError(f"The scene has places for {places} agents; {len(agents)} do not fit.")
    fitting = [objects[index] for index in rng.permutation(len(objects))[: places - len(agents)]]
    symbols = agents + fitting
    return [symbols[index] for index in rng.permutation(len(symbols))]
