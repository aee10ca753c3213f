"""A scripted player of Among Them.

It finishes tasks, reports bodies, avoids suspects, tells in meetings what it saw and votes by the evidence; as imposter
it pretends to work, kills unseen, leaves through vents and gives an alibi. It sees what a player sees, nothing else.
"""

from bitworld.players.among_them.bot import THINK_TICKS, AmongThemBot, Move

__all__ = ["THINK_TICKS", "AmongThemBot", "Move"]
