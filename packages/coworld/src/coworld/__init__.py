"""Coworlds: games in any language behind one manifest, with players, supporting roles, a runner and a certifier."""
