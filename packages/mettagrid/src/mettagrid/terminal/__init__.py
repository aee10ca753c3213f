"""Play in a terminal: `-r unicode`. `renderer.TerminalRenderer` shows an episode.

`tty` controls the terminal, `keys` parses input, `cells` and `screen` draw; `world` reads the game, `board` and
`panels` show it, `player` handles keys.
"""
