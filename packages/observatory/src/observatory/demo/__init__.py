"""The league in a box: a server whose seasons the built-in policies play."""
