"""Command-line tools for maps: `python -m mettagrid.mapgen.tools.<name> --help`."""
