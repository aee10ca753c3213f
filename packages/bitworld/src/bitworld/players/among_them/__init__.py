"""A scripted player of Among Them.

It looks around, finishes tasks, checks on others, reports bodies, avoids suspects, tells in meetings what it saw and
votes by the evidence, sometimes too soon; as imposter it pretends to work, follows a victim while its cooldown ends,
kills unseen, leaves through vents, and accuses crewmates together with its partners. It sees what a player sees,
nothing else.
"""

from bitworld.players.among_them.bot import THINK_TICKS, AmongThemBot, Move

__all__ = ["THINK_TICKS", "AmongThemBot", "Move"]
