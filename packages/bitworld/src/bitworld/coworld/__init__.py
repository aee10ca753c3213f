"""The games as Coworlds: one program plays one episode and exits.

    python -m bitworld.coworld among_them      the game; a runner sets its environment
    python -m bitworld.coworld.player          a player for one seat

`coworld certify among_them` tests one as a whole. The other modules need `pip install bitworld[coworld]`.
"""
