"""Paint Arena: two players walk over a board and paint it; whoever owns more tiles at the end has won.

A complete Coworld and the example the documentation follows: `rules.py` (pure), `game/` (the server and its pages),
`player/` (the sweep player), `coworld_manifest.json` (built by `python -m coworld.examples.paintarena.build`).
"""
