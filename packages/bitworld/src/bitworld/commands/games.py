"""`cogames bitworld games`."""

from bitworld.registry import GROUP, game_class, game_names
from softmax.cli.output import note, print_table

__all__ = ["games"]


def games() -> None:
    """List the installed BitWorld games.

    A package adds its own through the entry-point group `bitworld.games`.
    """
    from importlib.metadata import entry_points

    places = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    rows = [(name, places[name], game_class(name).summary) for name in game_names()]
    print_table(["Game", "Entry", "Summary"], rows)
    note("\nPlay one with `cogames bitworld quick-run GAME`")
