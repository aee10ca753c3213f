"""Players written in Python: they play from what a player sees, over a socket or in this process."""
