"""The demo: a server whose seasons the built-in policies play."""
