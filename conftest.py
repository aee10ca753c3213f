"""Load what the tests of every package share: helpers and the skip table, cheap collection, a browser."""

pytest_plugins = ["tests.support", "tests.collection", "tests.browser"]
