"""The table of the commands; `cogames` finds it by its entry point and imports a command when it runs."""

from softmax.cli.program import Entry

__all__ = ["BITWORLD", "COMMANDS"]

BITWORLD = [
    Entry("games", "bitworld.commands.games:games", "List the installed BitWorld games."),
    Entry("quick-run", "bitworld.commands.quick_run:quick_run", "Serve a game for people, bots and scripted players."),
    Entry("replay", "bitworld.commands.replay:replay", "Watch a recorded BitWorld game in the browser."),
]
COMMANDS = [
    Entry("bitworld", "bitworld.commands.entries:BITWORLD", "Play BitWorld games and watch their replays.", "BitWorld")
]
