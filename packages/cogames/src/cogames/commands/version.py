"""`cogames version`."""

from importlib.metadata import version as version_of


def version() -> None:
    """Show the versions of the installed packages."""
    names = ("mettagrid", "cogames")
    width = max(map(len, names))
    for name in names:
        print(f"{name:>{width}}  {version_of(name)}")
