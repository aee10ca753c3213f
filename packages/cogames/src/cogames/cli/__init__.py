"""The `cogames` command."""
