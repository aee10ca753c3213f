"""`cogames bitworld` without the package `bitworld`, which replaces this command."""

from softmax.cli.errors import fail

__all__ = ["bitworld"]


def bitworld() -> None:
    """Play BitWorld games and watch their replays.

    The package `bitworld` replaces this command; `pip install cogames[bitworld]` installs it.
    """
    fail("BitWorld games need the package `bitworld`, which is not installed", "pip install cogames[bitworld]")


bitworld.__dict__["context_settings"] = {"allow_extra_args": True, "ignore_unknown_options": True}
