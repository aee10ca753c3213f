"""The player of Paint Arena: `python -m coworld.examples.paintarena.player`."""
