"""What the tests of every package share: helpers and the skip table, and a browser."""

pytest_plugins = ["tests.support", "tests.browser"]
