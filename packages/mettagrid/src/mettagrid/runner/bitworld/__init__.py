"""Play episodes of BitWorld games with the episode runner: in this process, tick by tick, without a socket.

A game waits for every policy, so the result does not depend on the speed of the machine, and an episode takes as long
as its policies. The games come from the package `bitworld`, which this package finds by an entry point.
"""
