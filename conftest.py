"""The helpers and the skip table of tests/support.py, for the tests of every package."""

pytest_plugins = ["tests.support"]
