"""What imposters say and vote in a meeting: accuse a crewmate together, discredit witnesses, give an alibi."""

import random

from bitworld.players.among_them.memory import Memory
from bitworld.players.among_them.temper import Temper

__all__ = ["lie", "scapegoat"]

Claims = dict[str, set[str]]
"""accused colour -> colours of its accusers"""


def lie(
    memory: Memory, crew: list[int], own: set[str], claims: Claims, room: str, rng: random.Random, temper: Temper
) -> str:
    """Return a sentence of an imposter. `crew` are the living crewmates, `own` the colours of the imposters."""
    colours = {memory.colours[number]: number for number in crew if number in memory.colours}
    witnesses = sorted(accuser for colour in own for accuser in claims.get(colour, ()) if accuser in colours)
    if witnesses:
        seen = "I saw {} vent in {}." if rng.random() < temper.bluff else "I suspect {}, who was alone in {}."
        return seen.format(witnesses[0], room)
    accused = scapegoat(memory, crew, claims)
    if accused is not None:
        return f"I suspect {memory.colours[accused]} too, who was alone in {room}."
    met = [number for number in memory.company if number in crew]
    if met and rng.random() < temper.frame:
        return f"I suspect {memory.colours[rng.choice(met)]}, who ran out of {room}."
    if met and rng.random() < 0.5:
        return f"I was with {memory.colours[rng.choice(met)]} in {room}."
    return f"I did tasks in {room}."


def scapegoat(memory: Memory, crew: list[int], claims: Claims) -> int | None:
    """Return the crewmate with most accusers: all imposters find the same one."""
    votes = {number: len(claims.get(memory.colours.get(number, ""), ())) for number in crew}
    return max((number for number in crew if votes[number]), key=votes.__getitem__, default=None)
