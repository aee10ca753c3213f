"""Playing in a terminal: `-r unicode`. `renderer.TerminalRenderer` is what shows an episode.

`tty` is the terminal itself, `keys` what is typed, `cells` and `screen` what is drawn; `world` reads the game, `board`
and `panels` show it, `player` is what keys do.
"""
