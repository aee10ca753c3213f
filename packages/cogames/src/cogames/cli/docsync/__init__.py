"""Compatibility package for `cogames docsync`; the commands are in `cogames.commands.docsync`."""
