"""The game server of Paint Arena: `python -m coworld.examples.paintarena.game`."""
