"""The commands of `cogames`, one topic per module."""
