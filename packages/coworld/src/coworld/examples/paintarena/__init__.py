"""Paint Arena: two players walk over a board and paint it; the player with more tiles at the end wins.

A complete Coworld and the example the documentation follows: `rules.py` (pure), `game/` (the server and its pages),
`player/` (the sweep player), `coworld_manifest.json` (built by `python -m coworld.examples.paintarena.build`).
"""
