"""The demo: a server whose seasons and leagues the built-in policies play."""
